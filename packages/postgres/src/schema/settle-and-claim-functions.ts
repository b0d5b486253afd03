import { MAX_BATCH_BYTES } from '@retry/core/broker/kit';
import { claimKeyed, claimNext, promoteDue } from './claim-functions.ts';
import { call, head, passOn } from './signatures.ts';

/** Below every order in a lane. */
const FIRST_BIGINT = '-9223372036854775808';

/** How soon to claim again by a concurrency key that another worker is claiming by, in ms. */
const BUSY_MS = 5;

const CLAIM_OUT = [
  'out o_ids text[], out o_ords bigint[], out o_lanes text[], out o_claimed text[], out o_dues bigint[]',
  'out o_busy_until bigint, out o_is_cut boolean',
].join(',\n  ');

/**
 * Starts the next runs of the lanes, in the order asked.
 *
 * 1. A lane is read from \`p_low_seqs\` on: the caller has lately found nothing before it. Otherwise a claim would read
 *    every deleted row that an old snapshot keeps from being removed.
 * 2. Released runs have an order below zero and are always read.
 * 3. The schedule is read from \`p_low_run_ats\` on. \`o_dues\` has for each lane the instant when the rest of it is due.
 */
export const CLAIM: string = `
create function ${head('claim_runs', CLAIM_OUT)} language plpgsql as $$
declare
  v_left bigint := p_limit;
  v_bytes bigint := ${MAX_BATCH_BYTES};
  v_room bigint;
  v_after bigint;
  v_due bigint;
  v_next record;
  v_keyed record;
begin
  for v_lane in 1 .. coalesce(cardinality(p_lanes), 0) loop
    v_room := case when v_bytes > 0 then least(p_lane_limits[v_lane], v_left) else 0 end;
    select run_at into v_due from scheduled
    where lane = p_lanes[v_lane] and run_at >= p_low_run_ats[v_lane] order by run_at limit 1;
    if v_due <= p_now then
      perform ${promoteDue};
      select run_at into v_due from scheduled
      where lane = p_lanes[v_lane] and run_at >= p_low_run_ats[v_lane] order by run_at limit 1;
    end if;
    o_dues := o_dues || v_due;
    v_after := p_low_seqs[v_lane];
    if v_after >= 0 and exists (select from ready where lane = p_lanes[v_lane] and ord < 0) then
      v_after := ${FIRST_BIGINT};
    end if;
    while v_room > 0 and v_bytes > 0 loop
      select * into v_next from ${claimNext};
      exit when v_next.o_seen = 0;
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
      exit when v_next.o_seen < v_room and v_next.o_keyed = 0;
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
    end loop;
  end loop;
  o_is_cut := v_bytes <= 0;
end
$$;
`;

const claimRuns = passOn('claim_runs', {
  limit: 'case when v_claimed is null then p_limit else 0 end',
  now: 'v_now',
  leaseUntil: 'v_now + p_lease_ms',
});

const rememberClaim = call('remember_claim', {
  worker: 'p_worker',
  request: 'p_request',
  now: 'v_now',
  leaseUntil: 'v_now + p_lease_ms',
  ids: 'v_got.o_ids',
  laneSeqs: 'v_got.o_ords',
  reply: 'v_claimed',
  lanes: 'v_got.o_lanes',
});

/**
 * Settles, then claims, in one call: one round trip with any client, and one commit.
 *
 * 1. A claim whose request was answered before gets the same answer again. A repetition that arrives while the first is
 *    being answered waits for that.
 * 2. The replies to earlier requests are dropped (\`p_forget_replies\`), or their rows, when all of their runs have been
 *    settled (\`p_ended_requests\`).
 * 3. Where retention is due, finished runs are trimmed, and what has expired is removed.
 */
export const SETTLE_AND_CLAIM: string = `
create function ${head('settle_and_claim')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_answers text := '';
  v_unparked text[];
  v_ready text[];
  v_later text[];
  v_results boolean := false;
  v_got record;
  v_claimed text;
  v_claim text := '';
  v_trimmed bigint;
  v_tidied record;
  v_tidy text := '';
begin
  if cardinality(p_ids) > 0 then
    select o_answers, o_unparked, o_ready, o_later, o_results into v_answers, v_unparked, v_ready, v_later, v_results
    from ${passOn('settle_runs', { now: 'v_now' })};
    v_ready := v_ready || v_unparked;
    if p_notify and (v_results or v_ready is not null or v_later is not null) then
      perform notify_waiters(v_ready, v_later, v_results);
    end if;
  end if;
  if p_worker is not null then
    perform require_read_committed('a claim');
    perform pg_advisory_xact_lock({lock}, hashtext(concat(p_worker, ' ', p_request)));
    select claimed into v_claimed from claim where worker = p_worker and request = p_request;
    select * into v_got from ${claimRuns};
    v_claim := concat(',"dues":', coalesce(to_json(v_got.o_dues)::text, '[]'), ',"busyUntil":', coalesce(v_got.o_busy_until::text, 'null'),
      ',"isCut":', to_json(v_got.o_is_cut));
    if v_got.o_claimed is not null then
      v_claimed := '[' || array_to_string(v_got.o_claimed, ',') || ']';
      perform ${rememberClaim};
      if p_ended_requests is not null then
        delete from claim where ctid = any (array (
          select ctid from claim where worker = p_worker and request = any (p_ended_requests) for update skip locked));
      end if;
      if p_forget_replies is not null then
        update claim set claimed = null where ctid = any (array (
          select ctid from claim where worker = p_worker and request = any (p_forget_replies) for update skip locked));
      end if;
    end if;
  end if;
  if p_keep_finished is not null then
    v_trimmed := ${passOn('trim_finished', { now: 'v_now' })};
  end if;
  if p_trim_from = 0 then
    select * into v_tidied from tidy(v_now);
    v_tidy := concat(',"released":', v_tidied.o_released, ',"isTidy":', to_json(v_tidied.o_is_all));
  end if;
  return concat('{"now":', v_now, ',"settled":"', v_answers, '","unparked":', coalesce(to_json(v_unparked)::text, '[]'),
    ',"ready":', coalesce(to_json(v_ready)::text, '[]'), ',"later":', coalesce(to_json(v_later)::text, '[]'),
    ',"results":', to_json(v_results), ',"claimed":', coalesce(v_claimed, '[]'), v_claim,
    ',"trimmed":', coalesce(v_trimmed::text, 'null'), v_tidy, '}');
end
$$;
`;
