import { IS_ANY_HELD } from '../operators/hold.ts';

/** Whether this request has been answered. */
export const IS_REPEATED = 'exists (select from claim where worker = p_worker and request = p_request)';

/** When the next run of a lane's schedule is due, from an instant on. */
export const nextDue = (lane: string, low: string): string =>
  `(select run_at from scheduled where lane = ${lane} and run_at >= ${low} order by run_at limit 1)`;

/**
 * Reads for each lane when the next run of its schedule is due, from where the caller has lately found one; also whether this request
 * has been answered, and whether any lanes are on hold.
 */
export const LOOK: string = `
      select array_agg(next.run_at), min(next.run_at), ${IS_REPEATED}, ${IS_ANY_HELD}
      into v_dues, v_due, v_is_repeated, v_is_any_held
      from (select unnest(p_lanes) as lane, unnest(p_low_run_ats) as low) asked
        left join lateral ${nextDue('asked.lane', 'asked.low')} next on true;`;
