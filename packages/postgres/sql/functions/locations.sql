-- Locks the runs p_ids that wait, or those that have ended with p_ended, and says where they are.
--
-- Returns their locations.
-- Locks, in the order of `lock_keys`:
-- 1. The lock of operators: two of them would otherwise wait for one another in many tables.
-- 2. The rows of the runs in `ready`, `parked`, `behind`, `scheduled`, `finished` or `awaited`, by
--    ascending id.
-- 3. The rows of the runs. A run that has moved meanwhile is no longer where it was found, and is
--    left out.
create function lock_locations(p_ids text[], p_ended boolean)
returns setof location language plpgsql as $$
declare
  v_found location[];
begin
  perform pg_advisory_xact_lock(Schema.lock, 1);
  select array_agg(locationOf(r) order by r.id) into v_found
  from unnest(p_ids) as asked (id) join run r on hasId(r, asked.id)
  where r.state <> State.started and (r.state not in (States.waiting)) = p_ended;
  perform from unnest(v_found) f join ready l on isSame(l.lane, f.lane) and l.ord = f.ord
  where f.state = State.submitted order by f.id for update of l;
  perform from unnest(v_found) f,
    lateral (
      select ctid as row_at from parked p
      where p.lane = f.lane and p.key_limit > 0 and p.ord = f.ord for update) l
  where f.state = State.submitted;
  perform from unnest(v_found) f,
    lateral (
      select ctid as row_at from behind b
      where b.lane = f.lane and b.key = f.fairness_key and b.ord = f.ord for update) l
  where f.state = State.submitted and f.fairness_key is not null;
  perform from unnest(v_found) f join scheduled l on isSame(l.lane, f.lane) and l.run_at = f.run_at
    and l.ord = f.ord
  where f.state = State.scheduled order by f.id for update of l;
  perform from unnest(v_found) f join finished l on isSame(l.ord, f.ord)
  where f.state not in (States.waiting) and not f.is_dead order by f.ord for update of l;
  perform from unnest(v_found) f join awaited l on hasId(l, f.id) and l.ord = f.ord
  where f.state not in (States.waiting) and not f.is_dead order by f.id for update of l;
  return query
    select r.id, r.state, r.ord, r.lane, r.run_at, r.key, r.key_limit, r.is_dead,
      r.fairness_key
    from unnest(v_found) f join run r on hasId(r, f.id) where r.state = f.state and r.ord = f.ord
      and not isClaimed(r) for update of r;
end
$$;

-- Locks the waiting runs among p_ids together with their concurrency keys.
--
-- Returns their locations.
-- Locks the keys, then what `lock_locations` locks.
create function lock_waiting(p_ids text[]) returns setof location language plpgsql as $$
begin
  perform lock_keys(array (
    select one.key from unnest(p_ids) as asked (id)
      join run r on hasId(r, asked.id), unnest(array[r.key, r.lane]) as one (key)
    where r.state in (States.waiting) and r.key is not null));
  return query select * from lock_locations(p_ids, false);
end
$$;

-- The keys of which the runs p_runs may have the turn: their own, and that of their lane.
--
-- Returns them, each once.
-- Locks nothing.
create function keys_of(p_runs location[]) returns text[] language sql as $$
  select array (select distinct one.key
    from unnest(p_runs) r, unnest(array[r.key, r.lane]) as one (key) where r.key is not null)
$$;

-- Removes the runs p_runs from where they are, and passes the turns of their fairness keys on.
--
-- Returns the lanes that got runs by these turns.
-- Locks rows that its caller has locked, and what `pass_turn` locks.
create function remove_from_locations(p_runs location[]) returns text[] language plpgsql as $$
declare
  v_left ready;
  v_turn record;
  v_lanes text[];
begin
  delete from behind l using unnest(p_runs) r
  where r.state = State.submitted and r.fairness_key is not null
    and isSame(l.lane, r.lane) and l.key = r.fairness_key and l.ord = r.ord;
  for v_left in
    delete from ready l using unnest(p_runs) r
    where r.state = State.submitted and isSame(l.lane, r.lane) and l.ord = r.ord
    returning l.*
  loop
    continue when not hasTurn(v_left);
    select * into v_turn from pass_turn(v_left.lane, v_left.fairness_key, p_waits => true);
    if not v_turn.o_may_leave then
      raise lock_not_available using message = 'another transaction has a turn of a fairness key';
    end if;
    if v_turn.o_ord is not null then
      v_lanes := v_lanes || v_left.lane;
    end if;
  end loop;
  delete from parked where ctid = any (array (
    select l.row_at from unnest(p_runs) r,
      lateral (
        select ctid as row_at from parked p
        where p.lane = r.lane and p.key_limit > 0 and p.ord = r.ord offset 0) l
    where r.state = State.submitted));
  delete from scheduled l using unnest(p_runs) r
  where r.state = State.scheduled and isSame(l.lane, r.lane) and l.run_at = r.run_at
    and l.ord = r.ord;
  delete from awaited l using unnest(p_runs) r
  where r.state not in (States.active) and not r.is_dead and hasId(l, r.id) and l.ord = r.ord;
  update finished l set count = l.count - removed.count,
    ids = array (select id from unnest(l.ids) with ordinality as one (id, n)
      where id <> all (removed.ids) order by n),
    rows_at = null
  from (
    select ord, count(*) as count, array_agg(id) as ids from unnest(p_runs) r
    where state not in (States.active) and not is_dead group by ord) removed
  where isSame(l.ord, removed.ord);
  perform recount_long(array (select ord from unnest(p_runs)
    where state not in (States.active) and not is_dead));
  return v_lanes;
end
$$;
