-- Subqueries that claim one run, without what several need: half of the time of an exchange was
-- that of starting it.
--
-- few    the claim of `claim-few`, with what it has seen of the lane
found as materialized (
  select l.n, l.ready_at, l.ord, l.id, isPlain(l, r) as is_plain,
    payloadLine(r) = '' as is_apart, runLines(l, r) as lines
    -- @if few
    , l.due, l.is_repeated, l.is_any_held, l.is_clear
    -- @end
  from (
    -- @if few
    -- @include next-of-few
    -- @else
    -- @include next-places
    -- @end
    ) l left join run r on isAt(r, l.row_at, l.id)
), moved as (
  delete from ready where ctid = (select ready_at from found where is_plain)
), stored as (
  insert into claim (worker, request, at, until, ids, ords, lanes)
  select p_worker, p_request, v_now, v_now + p_lease_ms, array[id], array[ord], p_lanes[n:n]
  from found where is_plain
), dropped as (
  -- @include end-claims
)
