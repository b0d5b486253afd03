/**
 * Cancels runs that wait and leaves word for the workers of started ones. A run that moves from one table to another
 * meanwhile is in neither for a statement that began before: those are looked for again. Ids must not repeat.
 */
export const CANCEL = `
create function cancel_runs(p_ids text[]) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_left text[] := p_ids;
  v_cancelled text[] := '{}';
  v_requested text[] := '{}';
  v_found text[];
  v_asked text[];
  v_keys text[];
begin
  while cardinality(v_left) > 0 loop
    with was_ready as (
      delete from ready where id = any (v_left) returning *
    ), was_parked as (
      delete from parked where id = any (v_left) returning *
    ), was_scheduled as (
      delete from scheduled where id = any (v_left) returning *
    ), waited as (
      select id, lane, epoch, submitted_at, run_at, key, record from was_ready
      union all select id, lane, epoch, submitted_at, run_at, key, record from was_parked
      union all select id, lane, epoch, submitted_at, run_at, null, record from was_scheduled
    ), cancelled as (
      insert into ended (id, ord, lane, state, is_dead, epoch, ended_at, submitted_at, run_at, record)
      select id, nextval('end_order'), lane, 'cancelled', false, epoch, v_now, submitted_at, run_at, record
      from (select * from waited order by array_position(v_left, id)) waited
    ), asked as (
      update inflight set wants_cancel = true where id = any (v_left) returning id
    )
    select (select array_agg(id) from waited), (select array_agg(id) from asked),
      (select array_agg(distinct key) from waited where key is not null)
    into v_found, v_asked, v_keys;
    v_cancelled := v_cancelled || v_found;
    v_requested := v_requested || v_asked;
    if v_keys is not null then
      perform give_back(v_keys);
    end if;
    select array_agg(id) into v_left from unnest(v_left) as l (id)
    where id <> all (v_cancelled) and id <> all (v_requested)
      and exists (select from run where run.id = l.id) and not exists (select from ended where ended.id = l.id);
  end loop;
  return (
    select string_agg(case when id = any (v_cancelled) then 'c' when id = any (v_requested) then 'r'
      when exists (select from run where run.id = asked.id) then 'e' else 'g' end, '' order by n)
    from unnest(p_ids) with ordinality as asked (id, n));
end
$$;
`;

/** Sends dead letters to the back of their lanes, in the order asked. Ids must not repeat. */
export const REDRIVE = `
create function redrive_runs(p_ids text[], p_keep_attempts boolean) returns text language plpgsql {settings} as $$
declare
  v_now bigint := now_ms();
  v_redriven text[];
  v_lanes text[];
begin
  with dead as (
    delete from ended where id = any (p_ids) and state in ('failed', 'stalled', 'rate_limited') returning *
  ), again as (
    select d.id, d.lane, d.epoch, r.key, r.key_limit, r.key_waits, coalesce(d.record::jsonb, '{}')
      || jsonb_build_object('redrives', coalesce((d.record::json ->> 'redrives')::integer, 0) + 1,
        'runAt', v_now, 'submittedAt', v_now, 'completedAt', d.ended_at) as record
    from dead d join run r on r.id = d.id order by array_position(p_ids, d.id)
  ), back as (
    insert into ready (lane, ord, id, epoch, key, key_limit, key_waits, record)
    select lane, nextval('back_order'), id, epoch, key, key_limit, key_waits,
      (case when p_keep_attempts then record else
        record - '{errors,previousDelayMs,failures,stalls,releases,rateLimits}'::text[]
          || jsonb_build_object('resetEpoch', epoch, 'resetAt', v_now) end)::text
    from (select * from again) again
  )
  select array_agg(id), array_agg(distinct lane) into v_redriven, v_lanes from dead;
  if v_lanes is not null then
    perform tell(v_lanes, null);
  end if;
  return json_build_object('lanes', v_lanes, 'answers', (
    select string_agg(case when id = any (v_redriven) then 'd' when exists (select from run where run.id = asked.id)
      then 'r' else 'g' end, '' order by n)
    from unnest(p_ids) with ordinality as asked (id, n)))::text;
end
$$;
`;

/** Forgets ended runs for good. Ids must not repeat. */
export const DISCARD = `
create function discard_runs(p_ids text[]) returns text language plpgsql {settings} as $$
declare
  v_discarded text[];
begin
  with discarded as (
    delete from ended where id = any (p_ids) returning id
  ), gone as (
    delete from run where id = any (array (select id from discarded))
  ), counted as (
    insert into tally (submitted, forgotten) select 0, count(*) from discarded having count(*) > 0
  )
  select array_agg(id) into v_discarded from discarded;
  return (
    select string_agg(case when id = any (v_discarded) then 'd' when exists (select from run where run.id = asked.id)
      then 'r' else 'g' end, '' order by n)
    from unnest(p_ids) with ordinality as asked (id, n));
end
$$;
`;

/** Counts the runs where they stand. */
export const AUDIT = `
create function audit_runs() returns text language sql set search_path = {schema}, pg_temp as $$
  with counted as (
    select coalesce(sum(submitted), 0) as submitted, coalesce(sum(forgotten), 0) as forgotten from tally
  ), ends as (
    select coalesce(json_object_agg(state, n), '{}') as ended, coalesce(sum(n), 0) as n
    from (select state, count(*) as n from ended group by state) states
  ), stray as (
    select count(*) as n from (
      select coalesce(r.id, p.id) from run r full join place p on p.id = r.id
      group by 1 having count(r.id) <> 1 or count(p.id) <> 1) wrong
  ), places as (
    select (select count(*) from ready) + (select count(*) from parked) as waiting,
      (select count(*) from scheduled) as scheduled, (select count(*) from inflight) as started
  )
  select json_build_object('submitted', c.submitted, 'forgotten', c.forgotten, 'waiting', p.waiting,
    'scheduled', p.scheduled, 'started', p.started, 'ended', e.ended,
    'unbalanced', s.n + abs(c.submitted - c.forgotten - p.waiting - p.scheduled - p.started - e.n))::text
  from counted c, ends e, stray s, places p
$$;
`;
