-- Reads for each lane when the next run of its schedule is due, from where the caller has lately
-- found one; also whether this request has been answered, and whether any lanes are on hold.
select array_agg(next.run_at), min(next.run_at), isRepeated(), isAnyHeld()
into v_dues, v_due, v_is_repeated, v_is_any_held
from (select unnest(p_lanes) as lane, unnest(p_low_run_ats) as low) asked
  left join lateral nextDue(asked.lane, asked.low) next on true;
