import { hasId, insertInto, unnestNumbered } from '../fragments.ts';
import { IS_ANY_HELD } from '../operators/hold.ts';
import { head, passOn } from '../signatures.ts';
import { CLAIM_FEW, CLAIM_FEW_VARIABLES, SETTLE_ONE_AND_CLAIM_FEW } from './claim-few.ts';
import { CLAIM_LINES, CLAIM_LINES_VARIABLES, END_CLAIMS } from './claim-lines.ts';
import { promoteDue } from './claim-steps.ts';
import { HELD_VARIABLES, NOTE, OPEN } from './held-lanes.ts';
import { hasReady } from './lane-order.ts';
import { LOOK } from './look.ts';
import { SETTLE, SETTLE_VARIABLES } from './settle.ts';

const claimRuns = passOn('claim_runs', { now: 'v_now', leaseUntil: 'v_now + p_lease_ms' });

/** Moves what is due into the lanes, and reads when the rest is. */
const PROMOTE_DUE = `${LOOK}${OPEN}
    if v_due <= v_now then
      for v_lane in 1 .. cardinality(p_lanes) loop
        if v_dues[v_lane] <= v_now and v_held[v_lane] is not true then
          perform ${promoteDue};
        end if;
      end loop;${LOOK}
    end if;`;

/** Runs that get their slot back return to their old places in the lane, which may be before what the client has read: reads these lanes whole. */
const READ_UNPARKED = `
    if v_unparked is not null and p_lanes is not null then
      p_low_seqs := array (
        select case when lane = any (v_unparked) then 0 else low end
        from ${unnestNumbered('asked', { lane: 'p_lanes', low: 'p_low_seqs' })} order by n);
    end if;`;

/** What found nothing, seeing no hold in its first look, may have seen one in its claim, and left out all lanes. */
const LOOK_AGAIN = `
      if v_is_plain is null and not v_is_any_held then
        v_is_any_held := ${IS_ANY_HELD};${OPEN}
        v_is_plain := not v_is_any_held;
      end if;`;

/**
 * Where tasks have limits: claims run by run if any of their lanes has something for it, and otherwise leaves these lanes out, so that
 * the others are claimed as usual.
 */
const LIMIT_BY_TASKS = `
        if p_task_limits is not null then
          if exists (
            select from ${unnestNumbered('asked', { lane: 'p_lanes', low: 'p_low_seqs', task_limit: 'p_task_limits' })}
            where task_limit is not null and (${hasReady('asked.lane', 'asked.low')}
              or exists (select from parked p where p.key = asked.lane and p.lane = asked.lane and p.key_limit < task_limit))
          ) then
            v_is_plain := false;
          else
            p_lane_limits := array (
              select case when task_limit is null then most else 0 end
              from ${unnestNumbered('asked', { most: 'p_lane_limits', task_limit: 'p_task_limits' })} order by n);
          end if;
        end if;`;

/** Claims run by run what is not plain, and stores the claim. */
const CLAIM_GENERAL = `
      select * into v_got from ${claimRuns};
      v_rest := concat(v_rest, ',"claimed":[', array_to_string(v_got.o_claimed, ','), '],"isCut":', to_json(v_got.o_is_cut),
        ',"busyUntil":', coalesce(v_got.o_busy_until::text, 'null'));
      if v_got.o_claimed is not null then
        ${insertInto('claim', {
          worker: 'p_worker',
          request: 'p_request',
          at: 'v_now',
          until: 'v_now + p_lease_ms',
          ids: 'v_got.o_ids',
          ords: 'v_got.o_ords',
          lanes: 'array (select distinct lane from unnest(v_got.o_lanes) as lane)',
        })};
        ${END_CLAIMS};
      end if;`;

/**
 * Settles, then claims, in one call: one round trip with any client, and one commit. What an exchange does as a rule is
 * written in line, as few statements; what is rare is in functions.
 *
 * 1. A claim whose request was answered before returns the runs of that claim which are still leased by it. A repetition that
 *    arrives while the first is being answered waits for that.
 * 2. The rows of earlier requests are dropped when all of their runs have been settled (\`p_ended_requests\`).
 * 3. Lanes that are on hold are left out: see \`open_lanes\`.
 * 4. Where retention is due, finished runs are trimmed, and what has expired is removed.
 *
 * The first row of the reply is JSON, without what is as it is as a rule. If plain runs were claimed, rows of \`LINE_COLUMNS\` follow,
 * or a row for each of few runs with a line for each of these columns; then the payloads that are rows of their own.
 */
export const SETTLE_AND_CLAIM: string = `
create function ${head('settle_and_claim')} returns setof text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_setting text;${SETTLE_VARIABLES}
  v_dues bigint[];
  v_due bigint;
  v_is_repeated boolean;
  v_got record;${CLAIM_LINES_VARIABLES}${CLAIM_FEW_VARIABLES}${HELD_VARIABLES}
  v_line text;
  v_tidied record;
  v_rest text;
begin
  if p_worker is not null then
    if current_setting('transaction_isolation') <> 'read committed' then
      perform require_read_committed('a claim');
    end if;
    if not pg_try_advisory_xact_lock({lock}, hashtext(concat(p_worker, ' ', p_request))) then
      perform pg_advisory_xact_lock({lock}, hashtext(concat(p_worker, ' ', p_request)));
    end if;${SETTLE_ONE_AND_CLAIM_FEW}
  end if;
  if cardinality(p_ids) > 0 and v_is_clear is not true then${SETTLE}
    v_ready := v_ready || v_unparked;${READ_UNPARKED}
    if v_results or v_ready is not null or v_later is not null then
      if p_notify then
        perform notify_waiters(v_ready, v_later, v_results);
      end if;
      v_rest := concat(',"unparked":', coalesce(to_json(v_unparked)::text, '[]'), ',"ready":', coalesce(to_json(v_ready)::text, '[]'),
        ',"later":', coalesce(to_json(v_later)::text, '[]'), ',"results":', coalesce(v_results, false)::text);
    end if;
  end if;
  if p_worker is not null then${CLAIM_FEW}
    if v_is_clear is not true then${PROMOTE_DUE}
      if v_is_repeated then
        v_rest := concat(v_rest, ',"claimed":', recall_claim(p_worker, p_request));
      elsif p_limit > 0 then${LIMIT_BY_TASKS}
        if v_is_plain is null then${CLAIM_LINES}${LOOK_AGAIN}
        end if;
        if v_is_cut then
          v_rest := concat(v_rest, ',"isCut":true');
        end if;
      end if;
    end if;
    if not v_is_plain then${CLAIM_GENERAL}
    end if;${NOTE}
  end if;
  if p_keep_finished is not null then
    v_rest := concat(v_rest, ',"trimmed":', coalesce(${passOn('trim_finished', { now: 'v_now' })}::text, 'null'));
  end if;
  if p_trim_from = 0 then
    select * into v_tidied from tidy(v_now);
    v_rest := concat(v_rest, ',"released":', v_tidied.o_released, ',"isTidy":', to_json(v_tidied.o_is_all));
  end if;
  if v_due is not null then
    v_rest := concat(v_rest, ',"dues":', to_json(v_dues));
  end if;
  return next concat('{"now":', v_now, ',"settled":"', v_answers, '","until":', coalesce(v_now + p_lease_ms, 0), v_runs, v_rest, v_about_holds, '}');
  if v_lines is not null then
    foreach v_line in array v_lines loop
      return next v_line;
    end loop;
    if v_apart is not null then
      return query select r.payload from unnest(v_apart) with ordinality as apart (id, n),
        lateral (select payload from run where ${hasId('run', 'apart.id')} offset 0) r order by apart.n;
    end if;
  end if;
end
$$;
`;
