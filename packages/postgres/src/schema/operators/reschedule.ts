import { MAX_INSTANT_AT } from '@retry/core';
import { hasId, unnestNumbered } from '../fragments.ts';
import { isClaimed } from '../leases.ts';
import { answer, LOCKED, state, WAITING } from '../letters.ts';
import { head } from '../signatures.ts';
import { CREATED_AT, LOCATION } from './locations.ts';

/**
 * Moves waiting runs to another instant: onto the schedule, or to the back of their lane, in the order asked. One that is in its lane
 * and due now stays as it is. Runs that another client is moving are answered \`locked\`, and the client asks again. Ids must not repeat.
 */
export const RESCHEDULE: string = `
create function ${head('reschedule_runs')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_waiting location[];
  v_moved location[];
  v_dues bigint[];
  v_ready text[];
  v_later text[];
  v_unparked text[];
begin
  select array_agg(r) into v_waiting from lock_waiting(p_ids) r;
  select array_agg(w order by a.n), array_agg(a.due order by a.n) into v_moved, v_dues
  from (
    select id, n, least(greatest(v_now, run_at, v_now + delay), ${MAX_INSTANT_AT}) as due
    from ${unnestNumbered('input', { id: 'p_ids', run_at: 'p_run_ats', delay: 'p_delays_ms' })}
  ) a join unnest(v_waiting) w on w.id = a.id
  where w.state = ${state('scheduled')} or a.due > v_now;
  perform remove_from_locations(v_moved);
  with next as materialized (
    select id, due, due > v_now as is_later, nextval('back_order') as ord
    from unnest(v_moved, v_dues) as m (${LOCATION.join(', ')}, due)
  ), moved as (
    update run r set state = case when next.is_later then ${state('scheduled')} else ${state('submitted')} end::"char",
      ord = next.ord, run_at = next.due, created_at = ${CREATED_AT},
      submitted_at = case when next.is_later then r.submitted_at else v_now end
    from next where ${hasId('r', 'next.id')}
    returning r.state, r.lane, r.run_at, r.ord, r.id, r.key, r.ctid as row_at
  ), now_ready as (
    insert into ready (lane, ord, id, key, row_at) select lane, ord, id, key, row_at from moved where state = ${state('submitted')}
  ), for_later as (
    insert into scheduled (lane, run_at, ord, id, row_at) select lane, run_at, ord, id, row_at from moved where state = ${state('scheduled')}
  )
  select array_agg(distinct lane) filter (where state = ${state('submitted')}),
    array_agg(distinct lane) filter (where state = ${state('scheduled')})
  into v_ready, v_later from moved;
  v_unparked := unpark_runs(keys_of(v_moved));
  if v_ready is not null or v_later is not null then
    perform notify_waiters(v_ready || v_unparked, v_later, false);
  end if;
  return json_build_object('ready', v_ready, 'later', v_later, 'unparked', v_unparked, 'answers', (
    select string_agg(case when asked.id = any (select w.id from unnest(v_waiting) w) then ${answer('reschedule', 'rescheduled')}
      when r.id is null then ${answer('reschedule', 'gone')}
      when r.state in ${WAITING} and not ${isClaimed('r')} then '${LOCKED}' else ${answer('reschedule', 'refused')} end, '' order by n)
    from ${unnestNumbered('asked', { id: 'p_ids' })} left join run r on ${hasId('r', 'asked.id')}))::text;
end
$$;
`;
