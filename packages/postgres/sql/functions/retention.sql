-- Deletes the long texts of finished runs that are beyond what is kept of them, p_keep_bytes, then
-- forgets the oldest finished runs beyond those that are kept, by their number p_keep_finished and
-- their end, p_keep_for_ms before p_now, in batches, from the order p_trim_from on. Keys stay known
-- for p_keep_keys_ms.
--
-- Returns the order of the last row that it has removed as a whole.
-- Locks rows of `finished`, skipping those that are locked, then those of the runs.
create function trim_finished(
  p_keep_finished bigint, p_trim_from bigint, p_keep_keys_ms bigint, p_keep_for_ms bigint,
  p_keep_bytes bigint, p_now bigint
) returns bigint language plpgsql set enable_hashjoin = on as $$
declare
  v_edge record;
  v_row record;
  v_young bigint;
  v_old bigint;
  v_excess bigint;
  v_seen bigint := 0;
  v_last bigint;
  v_reached bigint;
begin
  if p_keep_bytes is not null then
    perform delete_long(p_keep_bytes);
  end if;
  if p_keep_for_ms is not null then
    for v_row in
      select ord, count, ids from finished where ord > p_trim_from
      order by ord limit Limit.trimmedRuns
    loop
      -- Runs that were kept for callers have ended at any time before they came to one row.
      v_young := (
        select n from unnest(v_row.ids) with ordinality as one (id, n),
          lateral (select ended_at from run
            where hasId(run, one.id) and ord = v_row.ord offset 0) r
        where r.ended_at > p_now - p_keep_for_ms order by n limit 1);
      exit when v_young = 1;
      v_old := v_row.ord;
      v_excess := coalesce(v_young - 1, v_row.count);
      v_seen := v_seen + v_row.count;
      exit when v_young is not null or v_seen >= Limit.trimmedRuns;
    end loop;
  end if;
  -- The newest row that has runs beyond the number that is kept, and how many of its own runs those
  -- are.
  select ord, count, least(count, upto - p_keep_finished)::bigint as excess into v_edge
  from (
    select ord, count, sum(count) over (order by ord desc) as upto from finished
    where ord > p_trim_from and p_keep_finished >= 0) newest
  where upto > p_keep_finished order by ord desc limit 1;
  if v_old is not null and v_old >= coalesce(v_edge.ord, v_old) then
    v_excess := greatest(v_excess, case when v_edge.ord = v_old then v_edge.excess end);
    select ord, count, least(count, v_excess)::bigint as excess into v_edge
    from finished where ord = v_old;
  end if;
  if v_edge is null then
    return null;
  end if;
  select max(ord) into v_last
  from (select ord, sum(count) over (order by ord) - count as before from finished
    where ord > p_trim_from and ord <= v_edge.ord order by ord limit Limit.trimmedRuns) oldest
  where before < Limit.trimmedRuns and (ord < v_edge.ord or v_edge.excess = v_edge.count);
  with whole as (
    delete from finished where ctid = any (array (
      select ctid from finished where ord > p_trim_from and ord <= v_last
      order by ord for update skip locked))
    returning ord, ids, rows_at
  ), edge as (
    update finished f set ids = f.ids[v_edge.excess + 1:], rows_at = f.rows_at[v_edge.excess + 1:],
      count = f.count - v_edge.excess
    from (
      select ctid as row_at, ids[:v_edge.excess] as ids, rows_at[:v_edge.excess] as rows_at
      from finished
      where ord = v_edge.ord and count = v_edge.count and v_edge.excess < count
      for update skip locked) old
    where f.ctid = old.row_at
    returning f.ord, old.ids, old.rows_at
  ), rows as (
    select ord, ids, rows_at from whole union all select ord, ids, rows_at from edge
  ), old as not materialized (
    select ord, unnest(ids) as id, unnest(rows_at) as row_at from rows
  ), by_row as (
    delete from run r using old
    where r.ctid = any (array (select row_at from old)) and isAt(r, old.row_at, old.id)
      and r.ord = old.ord
    returning r.id, r.is_keyed, r.ended_at
  ), by_id as (
    -- As a rule the condition holds for none, and the server looks for no run. The lateral one
    -- keeps it from reading all of them.
    delete from run where ctid = any (array (
      select found.row_at from old,
        lateral (select ctid as row_at from run r
          where hasId(r, old.id) and r.ord = old.ord for update) found
      where (select count(*) from by_row) < (select sum(cardinality(ids)) from rows)))
    returning id, is_keyed, ended_at
  ), forgotten as not materialized (
    select * from by_row union all select * from by_id
  ), keys as (
    -- @include keep-keys by-parameter
  ), counted as (
    insert into tally (submitted, forgotten) select 0, count(*) from forgotten having count(*) > 0
  )
  select max(ord) into v_reached from whole;
  delete from long_finished where ord <= v_reached;
  if exists (select from long_finished where ord = v_edge.ord) then
    perform recount_long(array[v_edge.ord]);
  end if;
  return v_reached;
end
$$;

-- Sums up the tally and error groups, and removes what has expired by p_now: keys, awaited results,
-- holds, processes that waited an hour ago.
--
-- Returns how many awaited runs were not collected, and whether everything is removed.
-- Locks the rows of each. Those that another client is removing at this moment are skipped.
create function tidy(p_now bigint, out o_released bigint, out o_is_all boolean)
language plpgsql as $$
declare
  v_count bigint;
begin
  with old as (
    delete from tally where ctid = any (array (
      select ctid from tally limit Limit.talliedRows for update skip locked))
    returning *
  )
  insert into tally (submitted, forgotten)
  select sum(submitted), sum(forgotten) from old having count(*) > 0;
  delete from kept_key where ctid = any (array (
    select ctid from kept_key where until <= p_now order by until limit Limit.tidiedRows
    for update skip locked));
  get diagnostics v_count = row_count;
  o_released := release_awaited(array (
    select ctid from awaited where until <= p_now order by until limit Limit.tidiedRows
    for update skip locked));
  o_is_all := v_count < Limit.tidiedRows and o_released < Limit.tidiedRows;
  delete from waiter where until < p_now - Limit.waiterMs;
  perform forget_holds(p_now);
  perform tidy_groups();
end
$$;
