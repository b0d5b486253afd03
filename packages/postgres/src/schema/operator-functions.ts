import { isClaimed } from './started.ts';

/**
 * Runs that wait, or those that have ended, locked where they stand in a line and then themselves, as claims and
 * retention do it. One that moves meanwhile is not where it was, and is left out. Operators take turns: they would meet
 * in many lines.
 */
export const TAKE_PLACES: string = `
create function take_places(p_ids text[], p_ended boolean) returns setof run language plpgsql as $$
declare
  v_found run[];
begin
  perform pg_advisory_xact_lock({lock}, 1);
  select array_agg(r order by r.id) into v_found from unnest(p_ids) as asked (id) join run r on r.id = asked.id
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
  return query
    select r.* from unnest(v_found) f join run r on r.id = f.id where r.state = f.state and r.ord = f.ord
      and not ${isClaimed('r')} for update of r;
end
$$;
`;

/** Takes runs out of the lines where they stand, given as they were and with their places locked. */
export const LEAVE_PLACES = `
create function leave_places(p_runs run[]) returns void language plpgsql as $$
begin
  delete from ready l using unnest(p_runs) r where r.state = 'w' and l.lane = r.lane and l.ord = r.ord;
  delete from parked l using unnest(p_runs) r
  where r.state = 'w' and l.key = r.key and l.lane = r.lane and l.key_limit = r.key_limit and l.ord = r.ord;
  delete from scheduled l using unnest(p_runs) r
  where r.state = 's' and l.lane = r.lane and l.run_at = r.run_at and l.ord = r.ord;
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
 * Cancels runs that wait and leaves word for the workers of started ones. Those that somebody is moving or settling at
 * this moment are left, to be asked for again: that may be a transaction of a handler's, and last. Ids must not repeat.
 */
export const CANCEL: string = `
create function cancel_runs(p_ids text[]) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_end bigint := nextval('end_order');
  v_cancelled run[];
  v_locked text[];
  v_requested text[];
begin
  perform lock_keys(array (select distinct key from run where id = any (p_ids) and state in ('w', 's') and key is not null));
  select array_agg(r) into v_cancelled from take_places(p_ids, false) r;
  perform leave_places(v_cancelled);
  update run set state = 'X', ord = v_end, ended_at = v_now where id = any (array (select id from unnest(v_cancelled)));
  select array_agg(id) into v_locked
  from (select id from run where id = any (p_ids) and state in ('w', 'r') for update skip locked) free;
  with asked as (
    update run r set wants_cancel = true where id = any (v_locked) and (state = 'r' or ${isClaimed('r')}) returning id
  )
  select array_agg(id) into v_requested from asked;
  if v_cancelled is not null then
    insert into finished (ord, count, ids)
    select v_end, count(*), array_agg(id order by array_position(p_ids, id)) from unnest(v_cancelled);
    perform give_back(array (select distinct key from unnest(v_cancelled) where key is not null));
  end if;
  return (
    select string_agg(case when asked.id = any (select c.id from unnest(v_cancelled) c) then 'c'
      when asked.id = any (v_requested) then 'r' when r.id is null then 'g'
      when r.state in ('w', 's', 'r') then 'l' else 'e' end, '' order by n)
    from unnest(p_ids) with ordinality as asked (id, n) left join run r on r.id = asked.id);
end
$$;
`;

/** Sends dead letters to the back of their lanes, in the order asked. Ids must not repeat. */
export const REDRIVE = `
create function redrive_runs(p_ids text[], p_keep_attempts boolean) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_dead run[];
begin
  select array_agg(r order by array_position(p_ids, r.id)) into v_dead
  from take_places(p_ids, true) r where r.state in ('f', 'F', 't', 'T', 'l', 'L');
  perform leave_places(v_dead);
  with again as (
    select id, epoch, ended_at, nextval('back_order') as ord, coalesce(record::jsonb, '{}')
      || jsonb_build_object('redrives', coalesce((record::json ->> 'redrives')::integer, 0) + 1,
        'runAt', v_now, 'submittedAt', v_now, 'completedAt', ended_at) as record
    from unnest(v_dead)
  ), back as (
    update run r set state = 'w', ord = again.ord, is_dead = false, submitted_at = null, run_at = null, claimed_at = null,
      heartbeat_at = null, ended_at = null, error_name = null, result = null,
      record = (case when p_keep_attempts then again.record else
        again.record - '{errors,previousDelayMs,failures,stalls,releases,rateLimits}'::text[]
          || jsonb_build_object('resetEpoch', again.epoch, 'resetAt', v_now) end)::text
    from again where r.id = again.id
    returning r.lane, r.ord, r.id, r.key
  )
  insert into ready (lane, ord, id, key) select lane, ord, id, key from back;
  if v_dead is not null then
    perform tell(array (select distinct lane from unnest(v_dead)), null);
  end if;
  return json_build_object('lanes', (select array_agg(distinct lane) from unnest(v_dead)), 'answers', (
    select string_agg(case when id = any (select d.id from unnest(v_dead) d) then 'd'
      when exists (select from run where run.id = asked.id) then 'r' else 'g' end, '' order by n)
    from unnest(p_ids) with ordinality as asked (id, n)))::text;
end
$$;
`;

/** Forgets ended runs for good. Ids must not repeat. */
export const DISCARD = `
create function discard_runs(p_ids text[]) returns text language plpgsql {settings} as $$
declare
  v_over run[];
begin
  select array_agg(r) into v_over from take_places(p_ids, true) r;
  perform leave_places(v_over);
  with gone as (
    delete from run where id = any (array (select id from unnest(v_over))) returning id
  )
  insert into tally (submitted, forgotten) select 0, count(*) from gone having count(*) > 0;
  return (
    select string_agg(case when id = any (select o.id from unnest(v_over) o) then 'd'
      when exists (select from run where run.id = asked.id) then 'r' else 'g' end, '' order by n)
    from unnest(p_ids) with ordinality as asked (id, n));
end
$$;
`;
