-- Claims the next plain runs of all lanes, in the order of the lanes as they are asked, and within
-- them: a join by a hash may find the runs in any.
--
-- first  the first runs, as many as one reply carries: the window over the runs is a twentieth of
--        the work of an exchange. Without this, all of them; none where that would be more.
with next as materialized (
  -- @include next-places
), found as materialized (
  select l.n, l.ready_at, l.ord, l.id, isPlain(l, r) as is_plain,
    r.ctid as row_at, r.epoch, r.created_at, r.submitted_at, r.run_at, r.record, r.extras,
    payloadLine(r) as line,
    -- @if first
    coalesce(sum(sizeOf(r))
      over (order by l.n, l.ord rows between unbounded preceding and 1 preceding), 0) as before
    -- @else
    sizeOf(r) as size
    -- @end
  from next l
    left join (select ctid, * from run where ctid = any (array (select row_at from next))) r
      on isAt(r, l.row_at, l.id)
  order by l.n, l.ord
), seen as (
  select bool_and(is_plain) as is_plain,
    -- @if first
    coalesce(max(before) >= Limit.replyBytes, false) as is_cut
    -- @else
    coalesce(sum(size) > Limit.replyBytes, false) as is_cut
    -- @end
  from found
), fitting as not materialized (
  select * from found
  where
    -- @if first
    before < Limit.replyBytes
    -- @else
    not (select is_cut from seen)
    -- @end
    and (select is_plain from seen)
), taken as (
  -- The aggregates read the runs in the order in which they were found.
  select count(*) as count, array_agg(id) as ids, array_agg(ord) as ords,
    case when min(n) = max(n) then p_lanes[min(n):min(n)]
      else array (select p_lanes[one.n] from (select distinct n from fitting) one) end as lanes,
    array_agg(id) filter (where line = '') as apart,
    -- @include lines-of-fitting
    as lines
  from fitting
), moved as (
  delete from ready where ctid = any (array (select ready_at from fitting))
), stored as (
  insert into claim (worker, request, at, until, ids, ords, lanes)
  select p_worker, p_request, v_now, v_now + p_lease_ms, ids, ords, lanes from taken where count > 0
), dropped as (
  -- @include end-claims
)
select seen.is_plain, seen.is_cut, case when taken.count > 0 then taken.lines end, taken.apart
into v_is_plain, v_is_cut, v_lines, v_apart from seen, taken;
