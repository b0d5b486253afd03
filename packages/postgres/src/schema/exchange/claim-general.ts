import { MAX_BATCH_BYTES } from '@retry/core/broker/kit';
import { head } from '../signatures.ts';
import { claimKeyed, claimNext, unparkBelow } from './claim-steps.ts';

/** Below and above every order in a lane. */
const [FIRST_BIGINT, LAST_BIGINT] = ['-9223372036854775808', '9223372036854775807'];

/** How soon to claim again by a concurrency key that another worker is claiming by, in ms. */
const BUSY_MS = 5;

const CLAIM_OUT = [
  'out o_ids text[], out o_ords bigint[], out o_lanes text[], out o_claimed text[]',
  'out o_busy_until bigint, out o_is_cut boolean',
].join(',\n  ');

/**
 * Starts the next runs of the lanes, in the order asked, whatever they are: with a concurrency key, or unreadable. An
 * exchange calls it only where its own look has found such a run; see \`CLAIM_LINES\`.
 *
 * A lane is read in two parts: the released runs, and the others from \`p_low_seqs\` on, before which the caller has lately found
 * nothing. Otherwise a claim would read every deleted row that an old snapshot keeps from being removed.
 */
export const CLAIM: string = `
create function ${head('claim_runs', CLAIM_OUT)} language plpgsql as $$
declare
  v_left bigint := p_limit;
  v_bytes bigint := ${MAX_BATCH_BYTES};
  v_room bigint;
  v_after bigint;
  v_before bigint;
  v_is_read boolean;
  v_next record;
  v_keyed record;
begin
  for v_lane in 1 .. cardinality(p_lanes) loop
    v_room := case when v_bytes > 0 then least(p_lane_limits[v_lane], v_left) else 0 end;
    v_after := ${FIRST_BIGINT};
    v_before := 0;
    -- What comes back has its old order.
    if v_room > 0 and p_task_limits[v_lane] is not null and ${unparkBelow} then
      p_low_seqs[v_lane] := 0;
    end if;
    while v_room > 0 and v_bytes > 0 loop
      select * into v_next from ${claimNext};
      v_bytes := v_bytes - v_next.o_bytes;
      if v_next.o_unreadable is not null then
        perform fail_unreadable(p_lanes[v_lane], v_next.o_unreadable, p_now);
      end if;
      if v_next.o_claimed is not null then
        o_ids := o_ids || v_next.o_ids;
        o_ords := o_ords || v_next.o_ords;
        o_lanes := o_lanes || p_lanes[v_lane];
        o_claimed := o_claimed || v_next.o_claimed;
        v_left := v_left - (v_next.o_seen - v_next.o_keyed);
      end if;
      v_is_read := v_next.o_seen < v_room and v_next.o_keyed = 0;
      v_room := v_room - (v_next.o_seen - v_next.o_keyed);
      if v_next.o_keyed > 0 then
        select * into v_keyed from ${claimKeyed};
        v_bytes := v_bytes - v_keyed.o_bytes;
        o_ids := o_ids || v_keyed.o_ids;
        o_ords := o_ords || v_keyed.o_ords;
        o_lanes := o_lanes || case when v_keyed.o_ids is not null then p_lanes[v_lane] end;
        o_claimed := o_claimed || v_keyed.o_claimed;
        v_left := v_left - coalesce(cardinality(v_keyed.o_ids), 0);
        v_room := v_room - coalesce(cardinality(v_keyed.o_ids), 0);
        if v_keyed.o_is_busy then
          o_busy_until := p_now + ${BUSY_MS};
        end if;
      end if;
      v_after := v_next.o_last;
      -- The one that has its turn now may be before what was read.
      if v_next.o_keyed > 0 then
        if v_keyed.o_is_passed_on then
          v_after := ${FIRST_BIGINT};
          v_before := 0;
          p_low_seqs[v_lane] := 0;
          continue;
        end if;
      end if;
      if v_is_read then
        exit when v_before > 0;
        v_after := greatest(p_low_seqs[v_lane], 0);
        v_before := ${LAST_BIGINT};
      end if;
    end loop;
  end loop;
  o_is_cut := v_bytes <= 0;
end
$$;
`;
