-- What waits in each of the lanes p_lanes, counted up to p_limit, and what is started in them.
-- Every figure is read by an index that begins with the lane; leases have none, so only the first
-- ones are looked at. A run in its lane was due at `run_at` of its row, or else of its record.
--
-- Returns the figures as JSON.
create function count_lanes(p_lanes text[], p_limit bigint) returns text language plpgsql stable
-- @include settings
as $$
declare
  v_now bigint := now_ms();
begin
  return (
    with leases as materialized (
      select l.id, l.ord from (select * from claim where until >= 0 order by until) c,
        unnest(c.ids, c.ords) as l (id, ord)
      limit Limit.readLeases
    ), started as materialized (
      select r.lane, count(*) as count
      from leases l, lateral (select lane from run where isStartedBy(run, l) offset 0) r
      group by r.lane
    )
    select json_build_object('at', v_now, 'counts', coalesce(json_agg(json_strip_nulls(
      json_build_object(
        'lane', asked.lane,
        'waiting', (
          select json_build_object('count', least(count(*), p_limit),
            'isComplete', count(*) <= p_limit)
          from (
            select from (
              select from ready r where r.lane = asked.lane
              union all select from parked p where p.lane = asked.lane and p.key_limit > 0
              union all select from behind b where b.lane = asked.lane and b.key > '') all_of
            limit p_limit + 1) found),
        'parked', (
          select json_build_object('count', least(count(*), p_limit),
            'isComplete', count(*) <= p_limit)
          from (
            select from parked p where p.lane = asked.lane and p.key_limit > 0
            limit p_limit + 1) found),
        'scheduled', (
          select json_build_object('count', least(count(*), p_limit),
            'isComplete', count(*) <= p_limit)
          from (select from scheduled s where s.lane = asked.lane limit p_limit + 1) found),
        'due', (
          select json_build_object('count', least(count(*), p_limit),
            'isComplete', count(*) <= p_limit)
          from (
            select from scheduled s where s.lane = asked.lane and s.run_at <= v_now
            limit p_limit + 1) found),
        'started', json_build_object(
          'count', coalesce((select count from started s where s.lane = asked.lane), 0),
          'isComplete', (select count(*) from leases) <= Limit.countedLeases),
        'claimableSince', least(
          (select coalesce(r.run_at, nullif(read_count(read_record(r.record), 'runAt'), 0),
              r.submitted_at)
            from (
              select f.id from ready f where f.lane = asked.lane order by f.ord limit 1) first,
              lateral (
                select * from run where hash = hashtext(first.id) and id = first.id offset 0) r),
          (select s.run_at from scheduled s where s.lane = asked.lane and s.run_at <= v_now
            order by s.run_at limit 1))
      )) order by asked.n), '[]'))::text
    from unnest(p_lanes) with ordinality as asked (lane, n));
end
$$;

-- The lanes that have runs that wait. It steps from lane to lane by the index of a table, however
-- many rows each lane has.
--
-- Returns their names as JSON.
create function waiting_lanes() returns text language plpgsql stable
-- @include settings
as $$
begin
  return (
    with recursive in_ready (lane) as (
      (select lane from ready order by lane limit 1)
      union all
      select (select t.lane from ready t where t.lane > in_ready.lane order by t.lane limit 1)
      from in_ready where in_ready.lane is not null
    ), in_schedule (lane) as (
      (select lane from scheduled order by lane limit 1)
      union all
      select (
        select t.lane from scheduled t where t.lane > in_schedule.lane order by t.lane limit 1)
      from in_schedule where in_schedule.lane is not null
    ), in_parked (lane) as (
      (select lane from parked where key_limit > 0 order by lane limit 1)
      union all
      select (
        select p.lane from parked p where p.key_limit > 0 and p.lane > in_parked.lane
        order by p.lane limit 1)
      from in_parked where in_parked.lane is not null
    )
    select coalesce(json_agg(lane), '[]')::text
    from (
      select lane from in_ready union select lane from in_schedule
      union select lane from in_parked) known
    where lane is not null);
end
$$;
