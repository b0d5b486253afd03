-- Counts the runs that wait in each of the lanes p_lanes. Due runs are still in the schedule: only
-- a claim of their lane would promote them.
--
-- Returns a number for each as JSON.
create function count_depths(p_lanes text[]) returns text language plpgsql stable
-- @include settings
as $$
declare
  v_now bigint := now_ms();
begin
  return (
    select coalesce(json_agg(json_build_object('lane', lane, 'waiting', (
      select count(*) from (
        select from ready r where r.lane = asked.lane
        union all select from behind b where b.lane = asked.lane and b.key > ''
        union all (select from scheduled s
          where s.lane = asked.lane and s.run_at <= v_now order by s.run_at limit Limit.countedRuns)
        limit Limit.countedRuns) counted)) order by lane)::text, '[]')
    from unnest(p_lanes) as asked (lane));
end
$$;
