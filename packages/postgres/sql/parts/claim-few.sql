-- Looks, and claims few runs of a single lane, all in one statement: most of the time of such an
-- exchange is that of starting statements, by the number of their nodes. It claims nothing where
-- lanes are on hold, something is due or was released, the request was answered before, or the runs
-- are more than one reply carries; what is left to do then, the usual statements do. The aggregates
-- read the runs in the order of the lane.
--
-- settling  settles a run that completed in the same statement. It claims nothing if that did not
--           hold, or was not where its claim saw it.
if p_limit = 1 then
  with
  -- @if settling
  -- @include completed-one
  -- @end
  -- @include claim-one few
  select
    -- @if settling
    (select array[n] from settled), case when is_clear then Answer.settle.ok end,
    -- @end
    array[due], due, is_repeated, is_any_held, is_clear,
    case when ready_at is not null then is_plain end,
    case when is_plain and is_apart then array[id] end,
    case when is_plain then array[lines] end,
    case when is_plain then ',"runs":1' end
  into
    -- @if settling
    v_settled, v_answers,
    -- @end
    v_dues, v_due, v_is_repeated, v_is_any_held, v_is_clear, v_is_plain, v_apart, v_lines, v_runs
  from found;
else
  with
  -- @if settling
  -- @include completed-one
  -- @end
  taken as materialized (
    select min(due) as due, bool_or(is_repeated) as is_repeated,
      bool_or(is_any_held) as is_any_held,
      bool_and(is_clear) and coalesce(sum(size), 0) <= Limit.replyBytes as is_clear,
      count(ready_at) > 0 as is_any,
      bool_and(is_plain) and sum(size) <= Limit.replyBytes as is_plain,
      array_agg(ready_at) as ready_ats, array_agg(id) as ids, array_agg(ord) as ords,
      array_agg(id) filter (where is_apart) as apart, array_agg(lines) as lines
    from (
      select l.n, l.ready_at, l.ord, l.id, isPlain(l, r) as is_plain,
        payloadLine(r) = '' as is_apart, runLines(l, r) as lines, sizeOf(r) as size,
        due, is_repeated, is_any_held, is_clear
      from (
        -- @include next-of-few
        ) l left join run r on isAt(r, l.row_at, l.id)) found
  ), fitting as not materialized (
    select unnest(ready_ats) as ready_at from taken where is_plain
  ), moved as (
    delete from ready where ctid = any (array (select ready_at from fitting))
  ), stored as (
    insert into claim (worker, request, at, until, ids, ords, lanes)
    select p_worker, p_request, v_now, v_now + p_lease_ms, ids, ords, p_lanes from taken
    where is_plain
  ), dropped as (
    -- @include end-claims
  )
  select
    -- @if settling
    (select array[n] from settled), case when is_clear then Answer.settle.ok end,
    -- @end
    array[due], due, is_repeated, is_any_held, is_clear,
    case when is_any then is_plain end, apart,
    case when is_plain then lines end,
    case when is_plain then ',"runs":' || cardinality(ids) end
  into
    -- @if settling
    v_settled, v_answers,
    -- @end
    v_dues, v_due, v_is_repeated, v_is_any_held, v_is_clear, v_is_plain, v_apart, v_lines, v_runs
  from taken;
end if;
