-- Reads the first of the runs p_ids, in the order asked, as many as fit into one reply. With
-- p_collect, ended runs among them that were kept for waiting callers are kept like any other from
-- now on.
--
-- Returns them as JSON, null for one that is not there.
-- Locks rows in `awaited` with p_collect, and skips those that are locked.
create function get_runs(p_ids text[], p_collect boolean) returns text language plpgsql
-- @include settings
as $$
declare
  v_shown text;
  v_ended text[];
begin
  select coalesce(json_agg(shown order by n)::text, '[]'), array_agg(id) filter (where has_ended)
  into v_shown, v_ended
  from show_runs(p_ids, true);
  if p_collect and v_ended is not null then
    perform release_awaited(array (
      select a.ctid from unnest(v_ended) as ended (id) join awaited a on hasId(a, ended.id)
      for update of a skip locked));
  end if;
  return v_shown;
end
$$;
