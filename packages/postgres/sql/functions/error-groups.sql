-- What dead letters are counted under. Nothing here is updated in place: see `error_group`. For
-- each pair of p_lanes and p_ids, the group is `other` where its lane has as many as it may have. A
-- lane that is full has one more if a known group is emptied by another transaction at the same
-- moment, and its place is taken.
--
-- Returns for each the id that it is counted under.
-- Locks the lane of a new group, so that two transactions do not both add the last one: lanes in
-- their order, before any row. No lock is taken for a known group, or where the lane is full.
create function admit_groups(p_lanes text[], p_ids text[]) returns text[] language plpgsql as $$
declare
  v_ids text[] := array (
    select case when id = OtherGroup.id or isKnownGroup(g.lane, g.id) then id end
    from (select unnest(p_lanes) as lane, unnest(p_ids) as id,
      generate_series(1::bigint, cardinality(p_lanes)) as n) g order by n);
  v_new record;
  v_lane text;
  v_count bigint;
  v_is_full boolean;
  v_n bigint;
begin
  if array_position(v_ids, null) is null then
    return v_ids;
  end if;
  for v_new in
    select lane, id, array_agg(n) as places
    from (select unnest(p_lanes) as lane, unnest(p_ids) as id,
      generate_series(1::bigint, cardinality(p_lanes)) as n) g
    where v_ids[n] is null and lane is not null and id is not null
    group by lane, id order by lane, id
  loop
    if v_lane is distinct from v_new.lane then
      v_lane := v_new.lane;
      v_count := groupsOf(v_lane);
      if v_count < Limit.groups then
        perform pg_advisory_xact_lock(Schema.lock, hashtext(concat('groups of ', v_lane)));
        v_count := groupsOf(v_lane);
      end if;
    end if;
    v_is_full := v_count >= Limit.groups and not isKnownGroup(v_lane, v_new.id);
    v_count := v_count + 1;
    foreach v_n in array v_new.places loop
      v_ids[v_n] := case when v_is_full then OtherGroup.id else v_new.id end;
    end loop;
  end loop;
  return v_ids;
end
$$;

-- Counts the dead letters p_dead.
--
-- Locks nothing.
create function join_groups(p_dead dead_letter[]) returns void language sql as $$
  insert into error_group (lane, id, title, count, attempts, first_at, last_at, latest_id,
    latest_ord)
  select lane, group_id,
    case group_id when OtherGroup.id then OtherGroup.title
      else (array_agg(title order by ended_at desc, n desc))[1] end,
    count(*), sum(spent), min(ended_at), max(ended_at),
    (array_agg(id order by ended_at desc, n desc))[1], max(ord)
  from unnest(p_dead) group by lane, group_id
$$;

-- Replaces the rows of the groups p_ids of p_lanes by their sum. A group that is empty then has no
-- rows. No other transaction sees more or less than before.
--
-- Locks the rows. Who calls it has the lock of those that sum up.
create function sum_groups(p_lanes text[], p_ids text[]) returns void language sql as $$
  with old as (
    delete from error_group g using unnest(p_lanes, p_ids) as k (lane, id)
    where isSame(g.lane, k.lane) and g.id = k.id returning g.*
  )
  insert into error_group (lane, id, is_sum, count, attempts, first_at, last_at, title, latest_id,
    latest_ord)
  select lane, id, true,
    -- @include group-sums
  from old group by lane, id having sum(count) <> 0
$$;

-- Takes dead letters among the runs p_ids out of their groups.
--
-- Locks the advisory lock of all that sum up: two of them would otherwise wait for one another.
create function leave_groups(p_ids text[]) returns void language plpgsql as $$
declare
  v_lanes text[];
  v_groups text[];
begin
  with gone as (
    insert into error_group (lane, id, count, attempts)
    select r.lane, r.error_group, -count(*), -sum(r.spent)
    from unnest(p_ids) as asked (id) join run r on hasId(r, asked.id)
    where r.error_group is not null group by r.lane, r.error_group
    returning lane, id
  )
  select array_agg(lane), array_agg(id) into v_lanes, v_groups from gone;
  if v_lanes is not null then
    perform pg_advisory_xact_lock(Schema.lock, 4);
    perform sum_groups(v_lanes, v_groups);
  end if;
end
$$;

-- Sums up groups that have many rows.
--
-- Locks what `leave_groups` does, unless another has it; then it does nothing.
create function tidy_groups() returns void language plpgsql as $$
declare
  v_lanes text[];
  v_groups text[];
begin
  if not pg_try_advisory_xact_lock(Schema.lock, 4) then
    return;
  end if;
  select array_agg(lane), array_agg(id) into v_lanes, v_groups from (
    select lane, id from error_group
    where not is_sum group by lane, id
    having count(*) >= Limit.unsummedRows limit Limit.summedGroups) many;
  if v_lanes is not null then
    perform sum_groups(v_lanes, v_groups);
  end if;
end
$$;
