-- A page of one list. A page looks at a bounded number of entries, whether their runs match or not.
--
-- p_list, p_state: the list, and the state of its runs
-- p_lane, p_error_group, p_ended_before, p_error_name: which of them, null for any
-- p_limit, p_payloads: the most runs, and whether with payloads
-- p_after_name, p_after_request, p_after_at, p_after_ord, p_after_id: where the page before ended;
--   each list has some of these
--
-- Returns as JSON the runs that match, and the entry behind which the next page begins, unless this
-- one has reached the end of the list.
-- Locks nothing.
create function list_runs(
  p_list text, p_state text, p_lane text, p_error_group text, p_ended_before bigint,
  p_error_name text, p_limit bigint, p_payloads boolean, p_after_name text, p_after_request text,
  p_after_at bigint, p_after_ord bigint, p_after_id text
) returns text language plpgsql
-- @include settings
as $$
declare
  v_look bigint := case
    when p_list in ('waiting', 'scheduled') and p_error_name is null and p_ended_before is null
    then p_limit + 1 else greatest(p_limit + 1, Limit.listedEntries) end;
begin
  return (
    with looked as materialized (
      select l.*, row_number() over () as n
      from next_listed(p_list => p_list, p_lane => p_lane, p_error_group => p_error_group,
        p_look => v_look, p_after_name => p_after_name, p_after_request => p_after_request,
        p_after_at => p_after_at, p_after_ord => p_after_ord, p_after_id => p_after_id) l
    ), found as materialized (
      select l.*, row_number() over (order by l.n) as nth
      from looked l, lateral (select * from run where hasId(run, l.id) offset 0) r
      where case when p_list = 'started' then isStartedBy(r, l)
        else state_name(r.state) = p_state end
        and (p_lane is null or r.lane = p_lane)
        and (p_ended_before is null or r.ended_at < p_ended_before)
        and (p_error_name is null or r.error_name = p_error_name)
      order by l.n limit p_limit
    ), listed as materialized (
      select coalesce(array_agg(id order by nth), '{}') as ids, array_agg(ord order by nth) as ords,
        array_agg(case when p_list = 'started' then at end order by nth) as ats, count(*) as count
      from found
    ), shown as materialized (
      select s.n, s.shown from listed l, show_listed(l.ids, l.ats, l.ords, p_payloads) s
    ), counted as materialized (
      select (select count(*) from shown) as shown, (select count from listed) as found,
        (select count(*) from looked) as looked
    ), last as materialized (
      -- A full page ends with its last run, any other one with the last entry that it has seen.
      select case
          when c.shown < c.found or c.found = p_limit then (select n from found where nth = c.shown)
          else c.looked end as n, c.looked
      from counted c
    )
    select json_build_object(
      'runs', coalesce((select json_agg(shown order by n) from shown), '[]'),
      'end', (
        select json_build_array(coalesce(e.name, ''), coalesce(e.request, ''), coalesce(e.at, 0),
          coalesce(e.ord, 0), e.id)
        from looked e join last l on e.n = l.n where l.n < l.looked or l.looked >= v_look))::text);
end
$$;
