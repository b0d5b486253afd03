-- Puts the runs `next`, which are no longer in the schedule, into the lane p_lane, in their orders.
-- The rows of `moved` are those that were found.
--
-- by-id  looks for them by their ids, and otherwise where their rows were.
moved as (
  update run r set state = State.submitted, ord = next.ord,
    created_at = coalesce(r.created_at, r.submitted_at), submitted_at = p_now
  from next where
    -- @if by-id
    hasId(r, next.id)
    -- @else
    isAt(r, next.row_at, next.id)
    -- @end
  returning r.lane, r.ord, r.id, r.key, r.ctid as row_at
), now_ready as (
  insert into ready (lane, ord, id, key, row_at) select p_lane, ord, id, key, row_at from moved
)
