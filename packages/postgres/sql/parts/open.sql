-- Leaves out what is on hold of the lanes that are claimed. As a rule an exchange only looks
-- whether there are holds of any lanes, in a statement that it makes anyway: one that begins after
-- the answer to `hold` sees them.
if v_is_any_held then
  v_is_held := exists (select from hold where lane = any (array_prepend('', p_lanes)));
end if;
if v_is_held then
  select o_limits, o_held, o_probing into p_lane_limits, v_held, v_probing
  from open_lanes(p_lanes => p_lanes, p_lane_limits => p_lane_limits, p_now => v_now);
end if;
