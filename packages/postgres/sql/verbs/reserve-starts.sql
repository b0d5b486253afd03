-- Reserves starts against limits that all workers share: of each of p_keys, which allows p_limits
-- in p_windows_ms, p_counts, or at least p_leasts. Where p_granted_ats is not null, starts that
-- were granted then are corrected: there are p_counts more. The table grows only by limits that
-- are added; each of them lets a few be forgotten that are not used.
--
-- Returns for each as JSON how many are granted, when, and when so many more can be.
-- Locks the rows of all limits first, in the order of their keys, and adds those that are missing:
-- a row that conflicts is locked, though never updated. The clock is read after that, so it never
-- goes back from one call to the next.
create function reserve_starts(
  p_keys text[], p_limits bigint[], p_windows_ms bigint[], p_counts bigint[], p_leasts bigint[],
  p_granted_ats bigint[]
) returns text language plpgsql
-- @include settings
as $$
declare
  v_now bigint;
  v_added bigint;
  v_answers jsonb := '[]';
  v_granted bigint;
  v_available_at bigint;
begin
  insert into start_limit as present (key, window_ms, buckets, starts, forget_at)
  select key, 1, '{}', '{}', 0 from (select distinct unnest(p_keys) collate "C" as key) asked
  order by key
  on conflict (key) do update set forget_at = present.forget_at where false;
  get diagnostics v_added = row_count;
  v_now := now_ms();
  for v_n in 1 .. cardinality(p_keys) loop
    if p_granted_ats[v_n] is not null then
      perform correct_one(p_key => p_keys[v_n], p_granted_at => p_granted_ats[v_n],
        p_count => p_counts[v_n]);
      v_granted := 0;
      v_available_at := null;
    else
      select granted, available_at into v_granted, v_available_at
      from reserve_one(p_key => p_keys[v_n], p_limit => p_limits[v_n],
        p_window_ms => p_windows_ms[v_n], p_count => p_counts[v_n], p_least => p_leasts[v_n],
        p_now => v_now);
    end if;
    v_answers := v_answers || jsonb_build_array(jsonb_strip_nulls(
      jsonb_build_object('granted', v_granted, 'availableAt', v_available_at,
        'grantedAt', case when v_granted > 0 then v_now end)));
  end loop;
  if v_added > 0 then
    delete from start_limit where ctid = any (array (
      select ctid from start_limit where forget_at <= v_now
      order by forget_at limit Limit.forgottenForEach * v_added
      for update skip locked));
  end if;
  return v_answers::text;
end
$$;
