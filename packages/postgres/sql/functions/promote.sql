-- Moves due runs from the schedule of the lane p_lane, which is read from p_low_run_at on, to its
-- back, or to its front if p_is_first, earliest due first: at most p_limit, by p_now.
--
-- Locks the rows in `scheduled`, skipping those that are locked, then those of the runs.
create function promote_due(
  p_lane text, p_low_run_at bigint, p_limit bigint, p_is_first boolean, p_now bigint
) returns void language plpgsql as $$
declare
  v_missing text[];
  v_fair location[];
  v_ords bigint[];
  v_front bigint;
begin
  if p_is_first then
    v_front := -nextval('front_order');
  end if;
  with due as (
    delete from scheduled where ctid = any (array (
      select ctid from scheduled where lane = p_lane and run_at >= p_low_run_at and run_at <= p_now
      order by run_at, ord limit p_limit for update skip locked))
    returning run_at, ord, id, row_at
  ), next as materialized (
    select id, row_at,
      -- The window is what puts them into their order, also for `nextval`.
      case when p_is_first then v_front + row_number() over (order by run_at, ord) - 1
        else nextval('back_order') end as ord
    from due
  ),
  -- @include move-next
  select array_agg(id), array_agg(ord), placesByTurn() into v_missing, v_ords, v_fair from next
  where (select count(*) from moved) < (select count(*) from next)
    and id not in (select id from moved);
  if v_missing is not null then
    perform promote_moved(p_lane => p_lane, p_ids => v_missing, p_ords => v_ords, p_now => p_now);
  end if;
  if v_fair is not null then
    perform enter_by_turn(v_fair);
  end if;
end
$$;

-- Moves what is due, by p_dues and p_now, into the lanes p_lanes of a claim of at most p_limit
-- runs, and p_lane_limits of each, but for those on hold, p_held. Of a lane that has one of
-- p_due_limits come first as many due runs as it says, and as many more as the claim has room for
-- beside what waits there; the room is what the lanes before leave. p_low_seqs, p_low_run_ats: from
-- where on each lane and its schedule are read.
--
-- Locks as `promote_due` does.
create function promote_lanes(
  p_limit bigint, p_lanes text[], p_lane_limits bigint[], p_low_seqs bigint[],
  p_low_run_ats bigint[], p_due_limits bigint[], p_dues bigint[], p_held boolean[], p_now bigint
) returns void language plpgsql as $$
declare
  v_left bigint := p_limit;
  v_room bigint;
  v_waiting bigint;
  v_due bigint;
begin
  for v_lane in 1 .. cardinality(p_lanes) loop
    continue when p_held[v_lane];
    v_room := least(p_lane_limits[v_lane], v_left);
    v_waiting := (select count(*) from (
        select from ready where lane = p_lanes[v_lane] and isReleased() limit v_room) released)
      + (select count(*) from (
        select from ready where lane = p_lanes[v_lane] and isBeyond(p_low_seqs[v_lane])
        limit v_room) others)
      + (select count(*) from (
        select from behind where lane = p_lanes[v_lane] and key > '' limit v_room) behind);
    if p_dues[v_lane] <= p_now and p_due_limits[v_lane] is null then
      perform promote_due(p_lane => p_lanes[v_lane], p_low_run_at => p_low_run_ats[v_lane],
        p_limit => greatest(v_room, 1000), p_is_first => false, p_now => p_now);
      v_waiting := v_room;
    elsif p_dues[v_lane] <= p_now then
      v_due := least(greatest(p_due_limits[v_lane], v_room - v_waiting), v_room);
      if v_due > 0 then
        perform promote_due(p_lane => p_lanes[v_lane], p_low_run_at => p_low_run_ats[v_lane],
          p_limit => v_due, p_is_first => true, p_now => p_now);
      end if;
      v_waiting := v_waiting + v_due;
    end if;
    v_left := v_left - least(v_waiting, v_room);
  end loop;
end
$$;

-- The same for due runs p_ids of the lane p_lane whose rows have moved since they were scheduled:
-- they get the orders p_ords at p_now, and are found by their ids.
--
-- Locks the rows of the runs.
create function promote_moved(p_lane text, p_ids text[], p_ords bigint[], p_now bigint)
returns void language plpgsql as $$
declare
  v_missing text[];
  v_fair location[];
begin
  with next as materialized (
    select * from unnest(p_ids, p_ords) as next (id, ord)
  ),
  -- @include move-next by-id
  select array_agg(id), placesByTurn() into v_missing, v_fair from next
  where (select count(*) from moved) < (select count(*) from next)
    and id not in (select id from moved);
  if v_missing is not null then
    perform fail_unreadable(p_lane, v_missing, p_now);
  end if;
  if v_fair is not null then
    perform enter_by_turn(v_fair);
  end if;
end
$$;
