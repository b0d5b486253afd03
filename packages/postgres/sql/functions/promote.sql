-- Moves due runs from the schedule of the lane p_lane, which is read from p_low_run_at on, to its
-- back, earliest due first: at most p_limit, by p_now.
--
-- Locks the rows in `scheduled`, skipping those that are locked, then those of the runs.
create function promote_due(p_lane text, p_low_run_at bigint, p_limit bigint, p_now bigint)
returns void language plpgsql as $$
declare
  v_missing text[];
  v_ords bigint[];
begin
  with due as (
    delete from scheduled where ctid = any (array (
      select ctid from scheduled where lane = p_lane and run_at >= p_low_run_at and run_at <= p_now
      order by run_at, ord limit p_limit for update skip locked))
    returning run_at, ord, id, row_at
  ), next as materialized (
    select id, row_at, nextval('back_order') as ord
    from (select * from due order by run_at, ord) due
  ), moved as (
    update run r set state = State.submitted, ord = next.ord,
      created_at = coalesce(r.created_at, r.submitted_at), submitted_at = p_now
    from next where isAt(r, next.row_at, next.id)
    returning r.lane, r.ord, r.id, r.key, r.ctid as row_at
  ), now_ready as (
    insert into ready (lane, ord, id, key, row_at) select p_lane, ord, id, key, row_at from moved
  )
  select array_agg(id), array_agg(ord) into v_missing, v_ords from next
  where (select count(*) from moved) < (select count(*) from next)
    and id not in (select id from moved);
  if v_missing is not null then
    perform promote_moved(p_lane => p_lane, p_ids => v_missing, p_ords => v_ords, p_now => p_now);
  end if;
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
begin
  with next as materialized (
    select * from unnest(p_ids, p_ords) as next (id, ord)
  ), moved as (
    update run r set state = State.submitted, ord = next.ord,
      created_at = coalesce(r.created_at, r.submitted_at), submitted_at = p_now
    from next where hasId(r, next.id)
    returning r.lane, r.ord, r.id, r.key, r.ctid as row_at
  ), now_ready as (
    insert into ready (lane, ord, id, key, row_at) select p_lane, ord, id, key, row_at from moved
  )
  select array_agg(id) into v_missing from next
  where (select count(*) from moved) < (select count(*) from next)
    and id not in (select id from moved);
  if v_missing is not null then
    perform fail_unreadable(p_lane, v_missing, p_now);
  end if;
end
$$;
