import { hasReady } from './exchange/lane-order.ts';
import { insertInto } from './fragments.ts';
import { heldUntil, nextWorkAt } from './operators/hold.ts';
import { head } from './signatures.ts';

/** Within the 8000 bytes of a notification. */
const MAX_MESSAGE_BYTES = 7_000;

/** The waiting runs of a lane are counted up to this number. */
const MAX_COUNTED = 10_000;

/** What waiting processes are notified of: SQL of the lanes that may have work now and later, and whether runs have ended that a caller waits for. */
interface Notice {
  readonly ready: string;
  readonly later: string;
  readonly results: string;
}

/**
 * Notifies waiting processes, by expressions alone: a statement would have to be started. It works with `v_message` and `v_is_sent`. A
 * message that is too long for a notification is sent empty.
 */
export const sendNotice = ({ ready, later, results }: Notice): string => `
    v_message := json_build_object('ready', ${ready}, 'later', ${later}, 'results', ${results})::text;
    v_is_sent := pg_notify({channel}, case when octet_length(v_message) < ${MAX_MESSAGE_BYTES} then v_message else '' end) is not null;`;

/** Whether a process waits for work. */
export const isAwaited = (now: string): string =>
  `exists (select from waiter where until > ${now} and not for_results)`;

/**
 * How idle processes learn of work and of results:
 *
 * 1. \`start_waiting\` and \`stop_waiting\` keep a row of \`waiter\` for each process that waits.
 * 2. \`notify_waiters\` notifies, if any process waits for it, that these lanes may have work now or later, or that runs
 *    have ended whose results a caller waits for.
 * 3. \`poll_lanes\` replies whether one of the lanes has work, when one has by time alone, and which are on hold.
 */
export const WAITING_PROCESSES: string = `
create function notify_waiters(p_ready text[], p_later text[], p_results boolean) returns void language plpgsql as $$
declare
  v_work boolean := (p_ready is not null or p_later is not null)
    and ${isAwaited('now_ms()')};
  v_results boolean := p_results and exists (select from waiter where until > now_ms() and for_results);
  v_message text;
  v_is_sent boolean;
begin
  if v_work or v_results then${sendNotice({
    ready: 'case when v_work then p_ready end',
    later: 'case when v_work then p_later end',
    results: 'v_results',
  })}
  end if;
end
$$;

create function ${head('start_waiting')} returns void language sql {settings} as $$
  ${insertInto('waiter', { id: 'p_waiter', until: 'now_ms() + p_ttl_ms', for_results: 'p_for_results' })}
  on conflict (id) do update set until = excluded.until
$$;

create function ${head('stop_waiting')} returns void language sql {settings} as $$
  delete from waiter where id = p_waiter
$$;

create function ${head('poll_lanes')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
begin
  return (select json_build_object(
    'now', v_now,
    'ready', bool_or(has_ready and until is null),
    'due', min(${nextWorkAt({ hasReady: 'has_ready', due: 'due', until: 'until' })}),
    'held', coalesce(json_agg(lane) filter (where until is not null), '[]')
  )::text
  from (
    select asked.lane, ${hasReady('asked.lane', 'asked.low')} as has_ready,
      (select s.run_at from scheduled s where s.lane = asked.lane order by s.run_at limit 1) as due,
      ${heldUntil('asked.lane', 'v_now')} as until
    from unnest(p_lanes, p_low_seqs) as asked (lane, low)) lanes);
end
$$;
`;

/** Steps from lane to lane by the index of a table, however many rows each lane has. */
export const nextLane = (table: string, before: string): string => `
      (select lane from ${table} order by lane limit 1)
      union all select (select t.lane from ${table} t where t.lane > ${before}.lane order by t.lane limit 1)
      from ${before} where ${before}.lane is not null`;

/** Counts the runs that wait in each of these lanes. Due runs are still in the schedule: only a claim of their lane would promote them. */
export const DEPTHS: string = `
create function ${head('count_depths')} returns text language plpgsql stable {settings} as $$
declare
  v_now bigint := now_ms();
begin
  return (
    select coalesce(json_agg(json_build_object('lane', lane, 'waiting', (
      select count(*) from (
        select from ready r where r.lane = asked.lane
        union all (select from scheduled s where s.lane = asked.lane and s.run_at <= v_now order by s.run_at limit ${MAX_COUNTED})
        limit ${MAX_COUNTED}) counted)) order by lane)::text, '[]')
    from unnest(p_lanes) as asked (lane));
end
$$;
`;
