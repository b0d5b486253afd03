-- The next places of one lane, with what was seen: of no lane where none may be taken. What is seen
-- is read by subqueries of one row, which `offset` keeps from being made where they are used.
--
-- settling  only if the settlement beside the claim holds
select * from (
  select *, not is_repeated and not is_any_held and (due > v_now) is not false
    and not hasReleased(p_lanes[1])
    -- @if settling
    and exists (select from settled)
    -- @end
    as is_clear
  from (
    select nextDue(p_lanes[1], p_low_run_ats[1]) as due, isRepeated() as is_repeated,
      isAnyHeld() as is_any_held offset 0) looked offset 0
) facts left join lateral (
  select 1::bigint as n, ctid as ready_at, ord, id, key, row_at from ready
  where lane = case when is_clear then p_lanes[1] end and isBeyond(p_low_seqs[1])
  order by ord limit least(p_limit, p_lane_limits[1]) for update skip locked
) places on true
