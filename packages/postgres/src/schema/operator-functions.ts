import { hasId } from './find-by-id.ts';
import { keepKeys } from './keeping-functions.ts';
import { isClaimed } from './started.ts';

/**
 * Runs that wait, or those that have ended, locked where they stand in a line and then themselves, as claims and
 * retention do it: where they stood, without what they carry. One that moves meanwhile is not where it was, and is left
 * out. Operators take turns: they would meet in many lines.
 */
export const TAKE_PLACES: string = `
create type place as (
  id text collate "C", state "char", ord bigint, lane text collate "C", run_at bigint, key text collate "C",
  key_limit bigint, is_dead boolean
);

create function take_places(p_ids text[], p_ended boolean) returns setof place language plpgsql as $$
declare
  v_found place[];
begin
  perform pg_advisory_xact_lock({lock}, 1);
  select array_agg((r.id, r.state, r.ord, r.lane, r.run_at, r.key, r.key_limit, r.is_dead)::place order by r.id) into v_found
  from unnest(p_ids) as asked (id) join run r on ${hasId('r', 'asked.id')}
  where r.state <> 'r' and (r.state not in ('w', 's')) = p_ended;
  perform from unnest(v_found) f join ready l on l.lane = f.lane and l.ord = f.ord
    where f.state = 'w' order by f.id for update of l;
  perform from unnest(v_found) f
    join parked l on l.key = f.key and l.lane = f.lane and l.key_limit = f.key_limit and l.ord = f.ord
    where f.state = 'w' order by f.id for update of l;
  perform from unnest(v_found) f join scheduled l on l.lane = f.lane and l.run_at = f.run_at and l.ord = f.ord
    where f.state = 's' order by f.id for update of l;
  perform from unnest(v_found) f join finished l on l.ord = f.ord
    where f.state not in ('w', 's') and not f.is_dead order by f.ord for update of l;
  perform from unnest(v_found) f join awaited l on ${hasId('l', 'f.id')} and l.ord = f.ord
    where f.state not in ('w', 's') and not f.is_dead order by f.id for update of l;
  return query
    select r.id, r.state, r.ord, r.lane, r.run_at, r.key, r.key_limit, r.is_dead
    from unnest(v_found) f join run r on ${hasId('r', 'f.id')} where r.state = f.state and r.ord = f.ord
      and not ${isClaimed('r')} for update of r;
end
$$;
`;

/** Takes runs out of the lines where they stand, given as they were and with their places locked. */
export const LEAVE_PLACES: string = `
create function leave_places(p_runs place[]) returns void language plpgsql as $$
begin
  delete from ready l using unnest(p_runs) r where r.state = 'w' and l.lane = r.lane and l.ord = r.ord;
  delete from parked l using unnest(p_runs) r
  where r.state = 'w' and l.key = r.key and l.lane = r.lane and l.key_limit = r.key_limit and l.ord = r.ord;
  delete from scheduled l using unnest(p_runs) r
  where r.state = 's' and l.lane = r.lane and l.run_at = r.run_at and l.ord = r.ord;
  delete from awaited l using unnest(p_runs) r
  where r.state not in ('w', 's', 'r') and not r.is_dead and ${hasId('l', 'r.id')} and l.ord = r.ord;
  update finished l set count = l.count - gone.count,
    ids = array (select id from unnest(l.ids) with ordinality as one (id, n) where id <> all (gone.ids) order by n)
  from (
    select ord, count(*) as count, array_agg(id) as ids from unnest(p_runs) r
    where state not in ('w', 's', 'r') and not is_dead group by ord) gone
  where l.ord = gone.ord;
end
$$;
`;

/**
 * Cancels runs that wait and leaves a cancel request for the workers of started ones. Those that another client is moving or
 * settling at this moment are left, to be asked for again: that may be a transaction of a handler's, and last. Ids must
 * not repeat.
 */
export const CANCEL: string = `
create function cancel_runs(p_ids text[]) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_end bigint := nextval('end_order');
  v_cancelled place[];
  v_finished text[];
  v_awaited text[];
  v_locked tid[];
  v_requested text[];
begin
  perform lock_keys(array (
    select distinct r.key from unnest(p_ids) as asked (id) join run r on ${hasId('r', 'asked.id')}
    where r.state in ('w', 's') and r.key is not null));
  select array_agg(r) into v_cancelled from take_places(p_ids, false) r;
  perform leave_places(v_cancelled);
  with over as (
    update run r set state = 'X', ord = v_end, ended_at = v_now from unnest(v_cancelled) c where ${hasId('r', 'c.id')}
    returning r.id, r.keep_ms
  )
  select array_agg(id order by array_position(p_ids, id)) filter (where keep_ms is null),
    array_agg(id) filter (where keep_ms is not null)
  into v_finished, v_awaited from over;
  v_locked := array (
    select r.place from unnest(p_ids) as asked (id), lateral (
      select ctid as place from run where ${hasId('run', 'asked.id')} and state in ('w', 'r') for update skip locked) r);
  with asked as (
    update run r set wants_cancel = true where ctid = any (v_locked) and (state = 'r' or ${isClaimed('r')}) returning id
  )
  select array_agg(id) into v_requested from asked;
  if v_finished is not null then
    insert into finished (ord, count, ids) values (v_end, cardinality(v_finished), v_finished);
  end if;
  if v_awaited is not null then
    perform await_results(v_awaited);
    perform tell(null, null, true);
  end if;
  perform give_back(array (select distinct key from unnest(v_cancelled) where key is not null));
  return (
    select string_agg(case when asked.id = any (v_finished) or asked.id = any (v_awaited) then 'c'
      when asked.id = any (v_requested) then 'r' when r.id is null then 'g'
      when r.state in ('w', 's', 'r') then 'l' else 'e' end, '' order by n)
    from unnest(p_ids) with ordinality as asked (id, n) left join run r on ${hasId('r', 'asked.id')});
end
$$;
`;

/** Sends dead letters to the back of their lanes, in the order asked. Ids must not repeat. */
export const REDRIVE: string = `
create function redrive_runs(p_ids text[], p_keep_attempts boolean) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_dead place[];
begin
  select array_agg(r order by array_position(p_ids, r.id)) into v_dead
  from take_places(p_ids, true) r where r.state in ('f', 'F', 't', 'T', 'l', 'L');
  perform leave_places(v_dead);
  with known as (
    select r.id, r.epoch, r.ended_at, d.n, read_record(coalesce(r.record, '{}')) as record
    from unnest(v_dead) with ordinality as d (id, state, ord, lane, run_at, key, key_limit, is_dead, n)
      join run r on ${hasId('r', 'd.id')}
  ), again as (
    select id, epoch, nextval('back_order') as ord, record
      || jsonb_build_object('redrives', read_count(record, 'redrives') + 1,
        'runAt', v_now, 'submittedAt', v_now, 'endedAt', ended_at) as record
    from (select * from known order by n) known
  ), back as (
    update run r set state = 'w', ord = again.ord, is_dead = false, submitted_at = null, run_at = null, claimed_at = null,
      heartbeat_at = null, ended_at = null, error_name = null, result = null,
      record = (case when p_keep_attempts then again.record else
        again.record - '{errors,previousDelayMs,failures,stalls,releases,rateLimits}'::text[]
          || jsonb_build_object('resetEpoch', again.epoch, 'resetAt', v_now) end)::text
    from again where ${hasId('r', 'again.id')}
    returning r.lane, r.ord, r.id, r.key
  )
  insert into ready (lane, ord, id, key) select lane, ord, id, key from back;
  if v_dead is not null then
    perform tell(array (select distinct lane from unnest(v_dead)), null, false);
  end if;
  return json_build_object('lanes', (select array_agg(distinct lane) from unnest(v_dead)), 'answers', (
    select string_agg(case when id = any (select d.id from unnest(v_dead) d) then 'd'
      when exists (select from run where ${hasId('run', 'asked.id')}) then 'r' else 'g' end, '' order by n)
    from unnest(p_ids) with ordinality as asked (id, n)))::text;
end
$$;
`;

/** Forgets ended runs for good, but for the ids that users gave. Ids must not repeat. */
export const DISCARD: string = `
create function discard_runs(p_ids text[], p_keep_keys bigint) returns text language plpgsql {settings} as $$
declare
  p_now bigint := now_ms();
  v_over place[];
begin
  select array_agg(r) into v_over from take_places(p_ids, true) r;
  perform leave_places(v_over);
  with gone as (
    delete from run r using unnest(v_over) o where ${hasId('r', 'o.id')} returning r.id, r.is_keyed, r.ended_at
  ), keys as (${keepKeys('gone')}  )
  insert into tally (submitted, forgotten) select 0, count(*) from gone having count(*) > 0;
  return (
    select string_agg(case when id = any (select o.id from unnest(v_over) o) then 'd'
      when exists (select from run where ${hasId('run', 'asked.id')}) then 'r' else 'g' end, '' order by n)
    from unnest(p_ids) with ordinality as asked (id, n));
end
$$;
`;
