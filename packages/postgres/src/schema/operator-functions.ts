import { hasId, unnestNumbered } from './fragments.ts';
import { keepKeys } from './keeping-functions.ts';
import { isClaimed } from './leases.ts';
import { ACTIVE, answer, LOCKED, REDRIVABLE, state, WAITING } from './letters.ts';
import { head } from './signatures.ts';

/** The fields of the type `location` in their order: where a run is, without what it carries. */
const LOCATION = ['id', 'state', 'ord', 'lane', 'run_at', 'key', 'key_limit', 'is_dead'] as const;

/** These fields of a row. */
const locationOf = (row: string): string => LOCATION.map((field) => `${row}.${field}`).join(', ');

/**
 * \`lock_locations\` locks waiting runs, or ended ones, and replies where they are. The lock order is that of \`lock_keys\`:
 *
 * 1. The lock of operators: two of them would otherwise wait for one another in many tables.
 * 2. The rows of the runs in \`ready\`, \`parked\`, \`scheduled\`, \`finished\` or \`awaited\`, by ascending id.
 * 3. The rows of the runs. A run that has moved meanwhile is no longer where it was found, and is left out.
 *
 * \`remove_from_locations\` removes runs from where they are.
 */
export const LOCATIONS: string = `
create function lock_locations(p_ids text[], p_ended boolean) returns setof location language plpgsql as $$
declare
  v_found location[];
begin
  perform pg_advisory_xact_lock({lock}, 1);
  select array_agg((${locationOf('r')})::location order by r.id) into v_found
  from unnest(p_ids) as asked (id) join run r on ${hasId('r', 'asked.id')}
  where r.state <> ${state('started')} and (r.state not in ${WAITING}) = p_ended;
  perform from unnest(v_found) f join ready l on l.lane = f.lane and l.ord = f.ord
    where f.state = ${state('submitted')} order by f.id for update of l;
  perform from unnest(v_found) f
    join parked l on l.key = f.key and l.lane = f.lane and l.key_limit = f.key_limit and l.ord = f.ord
    where f.state = ${state('submitted')} order by f.id for update of l;
  perform from unnest(v_found) f join scheduled l on l.lane = f.lane and l.run_at = f.run_at and l.ord = f.ord
    where f.state = ${state('scheduled')} order by f.id for update of l;
  perform from unnest(v_found) f join finished l on l.ord = f.ord
    where f.state not in ${WAITING} and not f.is_dead order by f.ord for update of l;
  perform from unnest(v_found) f join awaited l on ${hasId('l', 'f.id')} and l.ord = f.ord
    where f.state not in ${WAITING} and not f.is_dead order by f.id for update of l;
  return query
    select ${locationOf('r')}
    from unnest(v_found) f join run r on ${hasId('r', 'f.id')} where r.state = f.state and r.ord = f.ord
      and not ${isClaimed('r')} for update of r;
end
$$;

create function remove_from_locations(p_runs location[]) returns void language plpgsql as $$
begin
  delete from ready l using unnest(p_runs) r where r.state = ${state('submitted')} and l.lane = r.lane and l.ord = r.ord;
  delete from parked l using unnest(p_runs) r
  where r.state = ${state('submitted')} and l.key = r.key and l.lane = r.lane and l.key_limit = r.key_limit and l.ord = r.ord;
  delete from scheduled l using unnest(p_runs) r
  where r.state = ${state('scheduled')} and l.lane = r.lane and l.run_at = r.run_at and l.ord = r.ord;
  delete from awaited l using unnest(p_runs) r
  where r.state not in ${ACTIVE} and not r.is_dead and ${hasId('l', 'r.id')} and l.ord = r.ord;
  update finished l set count = l.count - removed.count,
    ids = array (select id from unnest(l.ids) with ordinality as one (id, n) where id <> all (removed.ids) order by n),
    rows_at = null
  from (
    select ord, count(*) as count, array_agg(id) as ids from unnest(p_runs) r
    where state not in ${ACTIVE} and not is_dead group by ord) removed
  where l.ord = removed.ord;
end
$$;
`;

/**
 * Cancels waiting runs, and leaves a cancel request for the workers of started ones. Runs that another client is moving or
 * settling are answered \`locked\`, and the client asks again: their transaction may be a handler's, and take long. Ids must not
 * repeat.
 */
export const CANCEL: string = `
create function ${head('cancel_runs')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_end bigint := nextval('end_order');
  v_cancelled location[];
  v_finished text[];
  v_awaited text[];
  v_locked tid[];
  v_requested text[];
begin
  perform lock_keys(array (
    select distinct r.key from unnest(p_ids) as asked (id) join run r on ${hasId('r', 'asked.id')}
    where r.state in ${WAITING} and r.key is not null));
  select array_agg(r) into v_cancelled from lock_locations(p_ids, false) r;
  perform remove_from_locations(v_cancelled);
  with ended as (
    update run r set state = ${state('cancelled')}, ord = v_end, ended_at = v_now from unnest(v_cancelled) c where ${hasId('r', 'c.id')}
    returning r.id, r.keep_ms
  )
  select array_agg(id order by array_position(p_ids, id)) filter (where keep_ms is null),
    array_agg(id) filter (where keep_ms is not null)
  into v_finished, v_awaited from ended;
  v_locked := array (
    select r.row_at from unnest(p_ids) as asked (id), lateral (
      select ctid as row_at from run where ${hasId('run', 'asked.id')}
        and state in (${state('submitted')}, ${state('started')}) for update skip locked) r);
  with asked as (
    update run r set wants_cancel = true
    where ctid = any (v_locked) and (state = ${state('started')} or ${isClaimed('r')}) returning id
  )
  select array_agg(id) into v_requested from asked;
  if v_finished is not null then
    insert into finished (ord, count, ids) values (v_end, cardinality(v_finished), v_finished);
  end if;
  if v_awaited is not null then
    perform keep_awaited(v_awaited);
    perform notify_waiters(null, null, true);
  end if;
  perform unpark_runs(array (select distinct key from unnest(v_cancelled) where key is not null));
  return (
    select string_agg(case when asked.id = any (v_finished) or asked.id = any (v_awaited) then ${answer('cancel', 'cancelled')}
      when asked.id = any (v_requested) then ${answer('cancel', 'requested')}
      when r.id is null then ${answer('cancel', 'gone')}
      when r.state in ${ACTIVE} then '${LOCKED}' else ${answer('cancel', 'ended')} end, '' order by n)
    from ${unnestNumbered('asked', { id: 'p_ids' })} left join run r on ${hasId('r', 'asked.id')});
end
$$;
`;

/** Sends dead letters to the back of their lanes, in the order asked. Ids must not repeat. */
export const REDRIVE: string = `
create function ${head('redrive_runs')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_dead location[];
begin
  select array_agg(r order by array_position(p_ids, r.id)) into v_dead
  from lock_locations(p_ids, true) r where r.state in ${REDRIVABLE};
  perform remove_from_locations(v_dead);
  with known as (
    select r.id, r.epoch, r.ended_at, d.n, read_record(coalesce(r.record, '{}')) as record
    from unnest(v_dead) with ordinality as d (${LOCATION.join(', ')}, n)
      join run r on ${hasId('r', 'd.id')}
  ), again as (
    select id, epoch, nextval('back_order') as ord, record
      || jsonb_build_object('redrives', read_count(record, 'redrives') + 1,
        'runAt', v_now, 'submittedAt', v_now, 'endedAt', ended_at) as record
    from (select * from known order by n) known
  ), back as (
    update run r set state = ${state('submitted')}, ord = again.ord, is_dead = false,
      created_at = coalesce(r.created_at, nullif(read_count(read_record(r.record), 'createdAt'), 0),
        nullif(read_count(read_record(r.record), 'submittedAt'), 0), r.submitted_at),
      submitted_at = null, run_at = null, claimed_at = null, heartbeat_at = null, ended_at = null, error_name = null,
      result = null, record = (case when p_keep_attempts then again.record else
        again.record - '{errors,previousDelayMs,failures,stalls,releases,rateLimits}'::text[]
          || jsonb_build_object('resetEpoch', again.epoch, 'resetAt', v_now) end)::text
    from again where ${hasId('r', 'again.id')}
    returning r.lane, r.ord, r.id, r.key, r.ctid as row_at
  )
  insert into ready (lane, ord, id, key, row_at) select lane, ord, id, key, row_at from back;
  if v_dead is not null then
    perform notify_waiters(array (select distinct lane from unnest(v_dead)), null, false);
  end if;
  return json_build_object('lanes', (select array_agg(distinct lane) from unnest(v_dead)), 'answers', (
    select string_agg(case when id = any (select d.id from unnest(v_dead) d) then ${answer('redrive', 'redriven')}
      when exists (select from run where ${hasId('run', 'asked.id')}) then ${answer('redrive', 'refused')}
      else ${answer('redrive', 'gone')} end, '' order by n)
    from ${unnestNumbered('asked', { id: 'p_ids' })}))::text;
end
$$;
`;

/** Forgets ended runs for good, but keeps their keys for a time. Ids must not repeat. */
export const DISCARD: string = `
create function ${head('discard_runs')} returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_ended location[];
begin
  select array_agg(r) into v_ended from lock_locations(p_ids, true) r;
  perform remove_from_locations(v_ended);
  with forgotten as (
    delete from run r using unnest(v_ended) o where ${hasId('r', 'o.id')} returning r.id, r.is_keyed, r.ended_at
  ), keys as (${keepKeys('forgotten', 'v_now')}  )
  insert into tally (submitted, forgotten) select 0, count(*) from forgotten having count(*) > 0;
  return (
    select string_agg(case when id = any (select o.id from unnest(v_ended) o) then ${answer('discard', 'discarded')}
      when exists (select from run where ${hasId('run', 'asked.id')}) then ${answer('discard', 'refused')}
      else ${answer('discard', 'gone')} end, '' order by n)
    from ${unnestNumbered('asked', { id: 'p_ids' })});
end
$$;
`;
