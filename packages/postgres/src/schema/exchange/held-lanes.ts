import { MAX_INSTANT_AT } from '@retry/core';
import { unnestNumbered } from '../fragments.ts';
import { heldUntil, nextWorkAt } from '../operators/hold.ts';
import { call, head } from '../signatures.ts';
import { hasReady } from './lane-order.ts';

/** What an exchange knows of holds. */
export const HELD_VARIABLES = `
  v_is_any_held boolean;
  v_is_held boolean;
  v_held boolean[];
  v_probing text[];
  v_about_holds text;`;

/**
 * What an exchange does where lanes that it claims are on hold, before it claims and after it. As a rule it only looks whether there
 * are holds of any lanes, in a statement that it makes anyway: one that begins after the answer to `hold` sees them.
 *
 * \`open_lanes\` replies from which of the lanes a claim may start runs: none of those on hold, one of those whose hold probes. A hold
 * that probes stays locked until the claim is committed; one that another claim has locked keeps its lane on hold for this one.
 */
const OPEN_LANES = `
create function ${head('open_lanes', 'out o_limits bigint[], out o_held boolean[], out o_probing text[]')} language plpgsql as $$
declare
  v_locked text[];
begin
  perform forget_holds(p_now);
  v_locked := array (
    select lane from hold where lane = any (p_lanes) and probe_ms is not null and until <= p_now for update skip locked);
  select array_agg(case when is_held then 0 when probes > 0 then least(most, 1) else most end order by n),
    array_agg(is_held order by n), array_agg(lane) filter (where probes > 0 and not is_held)
  into o_limits, o_held, o_probing
  from (
    select n, lane, most, probes, until is not null
      or probes > (select count(*) from unnest(v_locked) locked where locked = lane) as is_held
    from (
      select asked.n, asked.lane, asked.most, ${heldUntil('asked.lane', 'p_now')} as until,
        (select count(*) from hold h where h.lane = asked.lane and h.probe_ms is not null) as probes
      from ${unnestNumbered('asked', { lane: 'p_lanes', most: 'p_lane_limits' })}) held
  ) lanes;
end
$$;
`;

/**
 * \`note_probes\` sets when the lanes of which a run was let through are probed again, and replies, as part of a JSON object, which
 * lanes these are, which ones are on hold, and when the claim gets more by time alone.
 */
const NOTE_PROBES = `
create function ${head('note_probes')} returns text language plpgsql as $$
declare
  v_probes text[];
begin
  with probed as (
    update hold h set until = least(p_now + probe_ms, ${MAX_INSTANT_AT}) from claim c
    where c.worker = p_worker and c.request = p_request and h.lane = any (p_probing) and h.lane = any (c.lanes)
      and h.probe_ms is not null
    returning h.lane
  )
  select array_agg(distinct lane) into v_probes from probed;
  return (
    select concat(',"probes":', coalesce(to_json(v_probes)::text, '[]'),
      ',"held":', coalesce(json_agg(lane) filter (where until is not null)::text, '[]'),
      ',"nextAt":', coalesce(min(${nextWorkAt({ hasReady: 'has_ready', due: 'due', until: 'until' })})::text, 'null'))
    from (
      select asked.lane, asked.due, ${heldUntil('asked.lane', 'p_now')} as until,
        ${hasReady('asked.lane', 'asked.low')} as has_ready
      from ${unnestNumbered('asked', { lane: 'p_lanes', low: 'p_low_seqs', due: 'p_dues' })}) lanes);
end
$$;
`;

/** The functions above. */
export const HELD_LANES: string = `${OPEN_LANES}${NOTE_PROBES}`;

/** Leaves out what is on hold of the lanes that are claimed. */
export const OPEN: string = `
    if v_is_any_held then
      v_is_held := exists (select from hold where lane = any (array_prepend('', p_lanes)));
    end if;
    if v_is_held then
      select o_limits, o_held, o_probing into p_lane_limits, v_held, v_probing
      from ${call('open_lanes', { lanes: 'p_lanes', laneLimits: 'p_lane_limits', now: 'v_now' })};
    end if;`;

/** After the claim. One that is repeated lets no further run through. */
export const NOTE: string = `
    if v_is_held then
      v_about_holds := ${call('note_probes', {
        worker: 'p_worker',
        request: 'p_request',
        lanes: 'p_lanes',
        lowSeqs: 'p_low_seqs',
        dues: 'v_dues',
        probing: 'case when not v_is_repeated then v_probing end',
        now: 'v_now',
      })};
    end if;`;
