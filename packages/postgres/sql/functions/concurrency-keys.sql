-- Locks the concurrency keys p_keys: nothing else claims by them or frees them until the
-- transaction ends.
--
-- Locks, in the order of everything that moves waiting or ended runs, always:
-- 1. the advisory locks of concurrency keys, by ascending hash,
-- 2. the advisory lock of operators (`lock_locations`),
-- 3. the row in `ready`, `parked`, `behind`, `scheduled`, `finished` or `awaited`,
-- 4. the row in `run`. This function is the first step. A settlement locks rows of started runs in
--    `run` before the keys. No deadlock follows: a transaction that has one of the locks above
--    skips started runs that are locked.
create function lock_keys(p_keys text[]) returns void language plpgsql as $$
declare
  v_hash integer;
begin
  for v_hash in select distinct hashtext(key) from unnest(p_keys) key order by 1 loop
    perform pg_advisory_xact_lock(Schema.lock, v_hash);
  end loop;
end
$$;

-- Raises an error that names p_what, unless each statement sees what was committed before it.
--
-- Locks nothing.
create function require_read_committed(p_what text) returns void language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception '% needs the isolation level read committed, this connection has %',
      p_what, current_setting('transaction_isolation') using errcode = 'RT002';
  end if;
end
$$;

-- Returns parked runs to their lanes, as many as the keys p_keys allow now.
--
-- Returns these lanes.
-- Locks the keys first, so that a claim which is counting the slots of a key at the same time parks
-- no run by an outdated count.
create function unpark_runs(p_keys text[]) returns text[] language plpgsql as $$
declare
  v_lanes text[];
begin
  if cardinality(p_keys) = 0 then
    return null;
  end if;
  perform require_read_committed('what frees a concurrency key');
  perform lock_keys(p_keys);
  with recursive parking (key, lane, key_limit) as (
    select k.key, first.lane, first.key_limit
    from unnest(p_keys) as k (key),
      lateral (
        select p.lane, p.key_limit from parked p where p.key = k.key
        order by p.lane, p.key_limit limit 1) first
    union all
    select parking.key, next.lane, next.key_limit
    from parking, lateral (
      select p.lane, p.key_limit from parked p
      where p.key = parking.key and (p.lane, p.key_limit) > (parking.lane, parking.key_limit)
      order by p.lane, p.key_limit limit 1) next
  ), unparked as (
    delete from parked where ctid = any (array (
      select free.ctid from parking, lateral (
        select p.ctid from parked p
        where p.key = parking.key and p.lane = parking.lane and p.key_limit = parking.key_limit
        order by p.ord
        limit greatest(0, parking.key_limit - slotsTaken(parking.key))
      ) free))
    returning *
  ), returned as (
    insert into ready (lane, ord, id, key) select lane, ord, id, key from unparked
  )
  select array_agg(distinct lane) into v_lanes from unparked;
  return v_lanes;
end
$$;

-- Returns parked runs to their lane p_lane that were put aside at a lower limit of its task than a
-- claim has, p_task_limit, as many as it may start now, up to p_most.
--
-- Returns whether there were any.
-- Locks the key of the lane. Where another transaction has it, the next claim does this.
create function unpark_below(p_lane text, p_task_limit bigint, p_most bigint)
returns boolean language plpgsql as $$
begin
  if not exists (
      select from parked where key = p_lane and lane = p_lane and key_limit < p_task_limit)
    or not pg_try_advisory_xact_lock(Schema.lock, hashtext(p_lane)) then
    return false;
  end if;
  with unparked as (
    delete from parked where ctid = any (array (
      select ctid from parked
      where lane = p_lane and key_limit > 0 and key = p_lane and key_limit < p_task_limit
      order by ord limit least(p_most, greatest(0, p_task_limit - slotsTaken(p_lane)))))
    returning *
  )
  insert into ready (lane, ord, id, key) select lane, ord, id, key from unparked;
  return found;
end
$$;

-- Returns the next run that waits for its lane p_lane to it, in place of one that had its turn and
-- waits for its own key now.
--
-- Returns whether there is one.
-- Locks nothing but its row: its caller has the lock of the lane.
create function pass_on(p_lane text) returns boolean language plpgsql as $$
begin
  with unparked as (
    delete from parked where ctid = any (array (
      select ctid from parked where lane = p_lane and key_limit > 0 and key = p_lane
      order by ord limit 1))
    returning *
  )
  insert into ready (lane, ord, id, key) select lane, ord, id, key from unparked;
  return found;
end
$$;
