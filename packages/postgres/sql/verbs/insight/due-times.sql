-- Counts scheduled runs by when they are due: in each of the lanes p_lanes (null: in all) the
-- earliest ones up to its part of p_limit, from p_from on in p_buckets of p_bucket_ms. What is due
-- before the last one that was counted of a lane is complete.
--
-- Returns the counts as JSON.
create function count_due_times(
  p_lanes text[], p_from bigint, p_bucket_ms bigint, p_buckets bigint, p_limit bigint
) returns text language plpgsql stable
-- @include settings
as $$
declare
  v_to bigint := p_from + p_bucket_ms * p_buckets;
  v_lanes text[] := p_lanes;
  v_each bigint;
begin
  if v_lanes is null then
    v_lanes := array (
      with recursive in_schedule (lane) as (
        (select lane from scheduled order by lane limit 1)
        union all
        select (
          select t.lane from scheduled t where t.lane > in_schedule.lane order by t.lane limit 1)
        from in_schedule where in_schedule.lane is not null
      ) select lane from in_schedule where lane is not null);
  end if;
  v_each := greatest(p_limit / greatest(cardinality(v_lanes), 1), 1);
  return (
    with counted as materialized (
      select l.lane, (s.run_at - p_from) / p_bucket_ms as bucket, count(*) as n,
        max(s.run_at) as last
      from unnest(v_lanes) as l (lane), lateral (
        select run_at from scheduled where lane = l.lane and run_at >= p_from and run_at < v_to
        order by run_at limit v_each + 1) s
      group by 1, 2
    )
    select json_build_object('at', now_ms(),
      'before', upToEach(s.run_at < p_from),
      'counts', coalesce((
        select json_object_agg(bucket, n)
        from (select bucket, sum(n) as n from counted group by 1) b), '{}'),
      'after', upToEach(s.run_at >= v_to),
      'completeUntil', least(v_to, (
        select min(last)
        from (select sum(n) as n, max(last) as last from counted group by lane) of_lanes
        where n > v_each))
    )::text);
end
$$;
