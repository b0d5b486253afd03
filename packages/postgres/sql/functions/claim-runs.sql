-- Starts the next runs of the lanes p_lanes, in the order asked, whatever they are: with a
-- concurrency or fairness key, or unreadable. An exchange calls it only where its own look has
-- found such a run; see `parts/claim-plain.sql`.
--
-- A lane is read in two parts: the released runs, and the others from p_low_seqs on, before which
-- the caller has lately found nothing. Otherwise a claim would read every deleted row that an old
-- snapshot keeps from being removed.
--
-- p_limit, p_lane_limits: the most runs, of all lanes and of each
-- p_task_limits, p_task_waits: for each lane the limit of its task, and whether runs beyond it wait
-- p_now, p_lease_until: when they start, and until when they are leased
--
-- Returns the runs by their ids, their orders and lanes, as JSON; when to claim again by a key that
-- another worker is claiming by; whether the reply was full; and of each lane the order of the
-- first run that came to it by a turn and waits there, null altogether if there is none.
-- Locks what `claim_next` and `claim_keyed` lock.
create function claim_runs(
  p_limit bigint, p_lanes text[], p_lane_limits bigint[], p_low_seqs bigint[],
  p_task_limits bigint[], p_task_waits boolean[], p_now bigint, p_lease_until bigint,
  out o_ids text[], out o_ords bigint[], out o_lanes text[], out o_claimed text[],
  out o_busy_until bigint, out o_is_cut boolean, out o_turns bigint[]
) language plpgsql as $$
declare
  v_left bigint := p_limit;
  v_bytes bigint := Limit.replyBytes;
  v_room bigint;
  v_after bigint;
  v_before bigint;
  v_is_read boolean;
  v_next record;
  v_keyed record;
  v_turns bigint[];
  v_left_by_turn bigint;
  v_reads integer;
begin
  for v_lane in 1 .. cardinality(p_lanes) loop
    v_room := case when v_bytes > 0 then least(p_lane_limits[v_lane], v_left) else 0 end;
    v_after := Limit.firstOrd;
    v_before := 0;
    v_turns := null;
    v_reads := 0;
    -- What comes back has its old order.
    if v_room > 0 and p_task_limits[v_lane] is not null
      and unpark_below(p_lane => p_lanes[v_lane], p_task_limit => p_task_limits[v_lane],
      p_most => v_room) then
      p_low_seqs[v_lane] := 0;
    end if;
    while v_room > 0 and v_bytes > 0 loop
      select * into v_next
      from claim_next(p_lane => p_lanes[v_lane], p_after => v_after, p_before => v_before,
        p_limit => v_room, p_bytes => v_bytes, p_is_limited => p_task_limits[v_lane] is not null,
        p_now => p_now, p_lease_until => p_lease_until);
      v_bytes := v_bytes - v_next.o_bytes;
      if v_next.o_unreadable is not null then
        perform fail_unreadable(p_lanes[v_lane], v_next.o_unreadable, p_now);
      end if;
      if v_next.o_claimed is not null then
        o_ids := o_ids || v_next.o_ids;
        o_ords := o_ords || v_next.o_ords;
        o_lanes := o_lanes || p_lanes[v_lane];
        o_claimed := o_claimed || v_next.o_claimed;
        v_left := v_left - (v_next.o_seen - v_next.o_keyed);
      end if;
      v_is_read := v_next.o_seen < v_room and v_next.o_keyed = 0;
      v_room := v_room - (v_next.o_seen - v_next.o_keyed);
      if v_next.o_keyed > 0 then
        select * into v_keyed
        from claim_keyed(p_lane => p_lanes[v_lane], p_after => v_after, p_last => v_next.o_last,
          p_limit => v_next.o_keyed, p_bytes => v_bytes, p_task_limit => p_task_limits[v_lane],
          p_task_waits => p_task_waits[v_lane], p_now => p_now, p_lease_until => p_lease_until);
        v_bytes := v_bytes - v_keyed.o_bytes;
        o_ids := o_ids || v_keyed.o_ids;
        o_ords := o_ords || v_keyed.o_ords;
        o_lanes := o_lanes || case when v_keyed.o_ids is not null then p_lanes[v_lane] end;
        o_claimed := o_claimed || v_keyed.o_claimed;
        v_left := v_left - coalesce(cardinality(v_keyed.o_ids), 0);
        v_room := v_room - coalesce(cardinality(v_keyed.o_ids), 0);
        if v_keyed.o_is_busy then
          o_busy_until := p_now + Limit.busyMs;
        end if;
        v_turns := v_turns || v_keyed.o_turns;
        v_reads := v_reads + 1;
      end if;
      v_after := v_next.o_last;
      -- The one that has its turn now may be before what was read.
      if v_next.o_keyed > 0 then
        if v_keyed.o_is_passed_on then
          v_after := Limit.firstOrd;
          v_before := 0;
          p_low_seqs[v_lane] := 0;
          continue;
        end if;
      end if;
      if v_is_read then
        exit when v_before > 0;
        v_after := greatest(p_low_seqs[v_lane], 0);
        v_before := Limit.forEver;
      end if;
      -- Each run that is parked may bring another one by its turn: the next claim goes on.
      if v_turns is not null and v_reads >= Limit.readsByTurn then
        o_busy_until := p_now;
        exit;
      end if;
    end loop;
    v_left_by_turn := (
      select min(ord) from unnest(v_turns) as ord where ord <> all (coalesce(o_ords, '{}')));
    if v_left_by_turn is not null then
      o_turns[v_lane] := v_left_by_turn;
    end if;
  end loop;
  o_is_cut := v_bytes <= 0;
  if o_turns is not null then
    o_turns := array (
      select o_turns[n] from generate_series(1, cardinality(p_lanes)) as lanes (n) order by n);
  end if;
end
$$;

-- Starts the next runs of a lane that have no key, as many as fit into one reply. Where the claim
-- limits the lane, every run has one. It does not write into their rows: see `isClaimed`.
--
-- p_lane, p_after, p_before: the lane, and the orders between which it is read
-- p_limit, p_bytes: the most runs, and bytes of the reply
-- p_is_limited: whether the claim limits the lane
-- p_now, p_lease_until: when they start, and until when they are leased
--
-- Returns how many it has seen, how far it has read, how many of them have a key, and how many
-- bytes they have; the runs that it has started, those that are unreadable, and the started ones as
-- JSON.
-- Locks the rows in `ready`, and skips those that are locked.
create function claim_next(
  p_lane text, p_after bigint, p_before bigint, p_limit bigint, p_bytes bigint,
  p_is_limited boolean, p_now bigint, p_lease_until bigint, out o_seen bigint, out o_last bigint,
  out o_keyed bigint, out o_bytes bigint, out o_ids text[], out o_ords bigint[],
  out o_unreadable text[], out o_claimed text
) language plpgsql as $$
begin
  with next as materialized (
    select ctid as row_at, ord, id,
      coalesce(key, fairness_key, case when p_is_limited then p_lane end) as key
    from ready
    where lane = p_lane and ord > p_after and ord < p_before and isOpen(p_lane, p_now)
    order by ord limit p_limit for update skip locked
  ), found as (
    select n.row_at, n.ord, n.id, n.key, r.epoch, r.payload, r.created_at, r.submitted_at, r.run_at,
      r.record, r.extras,
      n.key is null and r.epoch >= 0 and r.epoch < Limit.lastEpoch as is_readable,
      coalesce(sizeOf(r), 256) as size
    from next n left join run r on n.key is null and hasId(r, n.id)
  ), fitting as materialized (
    -- The aggregates below read them in the order in which they are written here.
    select * from (
      select *, sum(size) over (order by ord rows unbounded preceding) as bytes from found) found
    where bytes - size < p_bytes
  ), moved as (
    delete from ready where ctid = any (array (select row_at from fitting where key is null))
  )
  select
    (select count(*) from fitting), (select max(ord) from fitting),
    (select count(key) from fitting), (select coalesce(max(bytes), 0) from fitting)::bigint,
    (select array_agg(id) from fitting where key is null and is_readable is not true),
    array_agg(id), array_agg(ord),
    case when count(*) > 0 then concat(
      '{"lane":', to_json(p_lane), ',"at":', p_now, ',"until":', p_lease_until,
      ',"ids":', json_agg(id), ',"laneSeqs":', json_agg(ord), ',"epochs":', json_agg(epoch + 1),
      ',"payloads":', json_agg(payload), ',"submittedAts":', json_agg(submitted_at),
      ',"runAts":', json_agg(dueOf(fitting)), ',"records":', json_agg(record),
      ',"extras":', json_agg(extras), ',"createdAts":', coalesce(
        json_object_agg(id, created_at) filter (where created_at is not null), 'null'), '}') end
  into o_seen, o_last, o_keyed, o_bytes, o_unreadable, o_ids, o_ords, o_claimed
  from fitting where is_readable;
end
$$;

-- Starts or parks the runs with a concurrency or fairness key among those that `claim_next` has
-- seen, one by one in their order:
--
-- 1. No more than it saw: others may be in the same range of the lane by now.
-- 2. The slots of a key that are taken are counted among the started runs, under a lock of the key;
--    there is no counter that could be wrong. A key whose lock another transaction has is left for
--    later.
-- 3. A run that has kept its slot starts with it. Where no slot is free, any other run is parked,
--    if it is to wait for its key, or else starts over the limit and takes no slot.
-- 4. Where the claim limits the lane, a run with a key of its own also needs a slot of the lane.
--    Where that is full, it is parked by the lane, and takes no slot of its key; once it has its
--    turn and finds its key full, the next one gets the turn.
-- 5. A run gets the limit that its task has in the claiming worker, unless it has a key of its own.
-- 6. A run that has the turn of its fairness key passes it on, however it leaves the lane.
--
-- p_lane, p_after, p_last: the lane, and the orders between which it is read
-- p_limit, p_bytes: the most runs, and bytes of the reply
-- p_task_limit, p_task_waits: the limit of the task, and whether runs beyond it wait
-- p_now, p_lease_until: when they start, and until when they are leased
--
-- Returns the started runs by their ids and orders, as JSON; whether another transaction has a key;
-- how many bytes they have; whether another run has got the turn of the lane; and the orders of
-- those that came to the back of the lane by a turn.
-- Locks rows in `ready`, skipping those that are locked, keys if they are free, and rows of runs.
create function claim_keyed(
  p_lane text, p_after bigint, p_last bigint, p_limit bigint, p_bytes bigint, p_task_limit bigint,
  p_task_waits boolean, p_now bigint, p_lease_until bigint, out o_ids text[], out o_ords bigint[],
  out o_claimed text[], out o_is_busy boolean, out o_bytes bigint, out o_is_passed_on boolean,
  out o_turns bigint[]
) language plpgsql as $$
declare
  v_next record;
  v_run run;
  v_before run;
  v_of_lane boolean;
  v_is_full boolean;
  v_is_lane_full boolean;
  v_waits_for_key boolean;
  v_turn record;
begin
  o_is_busy := false;
  o_is_passed_on := false;
  o_bytes := 0;
  for v_next in
    select * from ready where lane = p_lane and ord > p_after and ord <= p_last
      and (key is not null or fairness_key is not null or p_task_limit is not null)
      and isOpen(p_lane, p_now)
    order by ord limit p_limit for update skip locked
  loop
    exit when o_bytes >= p_bytes;
    select * into v_run from run where hasId(run, v_next.id);
    v_before := v_run;
    if p_task_limit is not null and coalesce(v_run.key, p_lane) = p_lane then
      v_run.key := p_lane;
      v_run.key_limit := p_task_limit;
      v_run.key_waits := p_task_waits;
    end if;
    v_of_lane := p_task_limit is not null and v_run.key <> p_lane;
    if v_run.key is not null and (
      not pg_try_advisory_xact_lock(Schema.lock, hashtext(v_run.key))
      or (v_of_lane or v_next.key <> v_run.key)
        and not pg_try_advisory_xact_lock(Schema.lock, hashtext(p_lane))) then
      o_is_busy := true;
      continue;
    end if;
    if hasTurn(v_next) then
      select * into v_turn from pass_turn(p_lane, v_next.fairness_key, p_waits => false);
      if not v_turn.o_may_leave then
        o_is_busy := true;
        continue;
      end if;
      if v_turn.o_ord is not null then
        o_turns := o_turns || v_turn.o_ord;
      end if;
    end if;
    delete from ready where lane = v_next.lane and ord = v_next.ord;
    if v_run.epoch is null or v_run.epoch < 0 or v_run.epoch >= Limit.lastEpoch
      or v_run.key_limit is null and coalesce(v_next.key, v_run.key) is not null then
      perform fail_unreadable(p_lane, array[v_next.id], p_now);
      continue;
    end if;
    v_is_full := v_run.key is not null
      and not v_run.holds_key and slotsTaken(v_run.key) >= v_run.key_limit;
    v_is_lane_full := v_of_lane and slotsTaken(p_lane) >= p_task_limit;
    v_waits_for_key := v_is_full and v_run.key_waits;
    if v_is_full and not v_is_lane_full and v_next.key = p_lane and v_run.key <> p_lane
      and pass_on(p_lane) then
      o_is_passed_on := true;
    end if;
    if v_waits_for_key or v_is_lane_full and p_task_waits then
      insert into parked (key, lane, key_limit, ord, id)
      values (case when v_waits_for_key then v_run.key else p_lane end, v_run.lane,
        case when v_waits_for_key then v_run.key_limit else p_task_limit end, v_run.ord, v_run.id);
      if v_run is distinct from v_before then
        update run set key = v_run.key, key_limit = v_run.key_limit, key_waits = v_run.key_waits
        where hasId(run, v_run.id);
      end if;
      continue;
    end if;
    update run set state = State.started, epoch = epoch + 1, claimed_at = p_now,
      heartbeat_at = p_now, lease_until = p_lease_until,
      holds_key = v_run.holds_key
        or v_run.key is not null and not (v_is_full or v_is_lane_full),
      holds_lane = case when not v_is_lane_full then v_of_lane and not v_is_full end,
      key = v_run.key, key_limit = v_run.key_limit, key_waits = v_run.key_waits
    where hasId(run, v_run.id);
    -- It had the turn of its key, perhaps, and does not take it.
    if v_is_lane_full then
      perform unpark_runs(array[v_run.key]);
    end if;
    o_bytes := o_bytes + sizeOf(v_run);
    o_ids := o_ids || v_run.id;
    o_ords := o_ords || v_run.ord;
    o_claimed := o_claimed || claimedOne(v_run, of_lane => p_lane, started_at => p_now,
      leased_until => p_lease_until,
      concurrency => case when v_run.key is not null then concurrencyOf(v_run) end,
      is_over_limit => v_is_full or v_is_lane_full)::text;
  end loop;
end
$$;
