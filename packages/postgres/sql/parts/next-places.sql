-- The next places of the lanes. By two ranges: one would begin before all the deleted rows between
-- them. The outer select of each is for the lock, which a union does not take.
select asked.n, waiting.*
from (
  select unnest(p_lanes) as lane, unnest(p_lane_limits) as most, unnest(p_low_seqs) as low,
    generate_series(1::bigint, cardinality(p_lanes)) as n) asked,
  lateral (
    select * from (
      select ctid as ready_at, ord, id, key, row_at from ready
      where lane = asked.lane and isReleased()
      order by ord limit least(asked.most, p_limit) for update skip locked) places
    union all
    select * from (
      select ctid as ready_at, ord, id, key, row_at from ready
      where lane = asked.lane and isBeyond(asked.low)
      order by ord limit least(asked.most, p_limit) for update skip locked) places
    limit least(asked.most, p_limit)) waiting
where isOpen(asked.lane, v_now)
limit p_limit
