-- Puts the runs `next`, which are no longer in the schedule, into the lane p_lane, in their orders;
-- but for those that come to its back with a fairness key. The rows of `moved` are those that were
-- found.
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
  returning r.ord, r.id, r.key, r.ctid as row_at, r.fairness_key,
    case when r.fairness_key is not null then locationOf(r) end as place
), now_ready as (
  insert into ready (lane, ord, id, key, row_at, fairness_key)
  select p_lane, ord, id, key, row_at, fairness_key from moved
  where fairness_key is null or ord < 0
)
