-- Finds at most p_limit started runs of the lanes p_lanes, or of all but p_except_lanes, whose
-- lease has expired.
--
-- Returns them as JSON, without payloads, longest ago first.
-- Locks what `expired_ids` locks.
create function find_expired(p_limit bigint, p_lanes text[], p_except_lanes text[])
returns text language plpgsql
-- @include settings
as $$
declare
  v_ids text[] := expired_ids(p_limit => p_limit, p_lanes => p_lanes,
    p_except_lanes => p_except_lanes, p_now => now_ms());
begin
  return (
    select coalesce(json_agg(shown order by n)::text, '[]')
    from show_runs(array (
      select r.id from unnest(v_ids) as found (id),
        lateral (select * from run where hasId(run, found.id) offset 0) r
      order by r.lease_until, r.id limit p_limit), false));
end
$$;
