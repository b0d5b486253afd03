-- Puts the runs p_runs, which have just been written as submitted and have fairness keys, into
-- their lanes by turn. Of each lane and key one run stands at the back of the lane, in `ready` with
-- its key, for each row in `turn`: one as a rule. The others are in `behind`.
--
-- 1. A run goes behind a turn only where this transaction can keep it from being given up, by a
--    lock of its row that others can have, too. So a run behind always has one to wait for.
-- 2. Else it has a turn of its own. A key gets a second one where other transactions, which this
--    one does not wait for, have not committed theirs or are giving it up; `pass_turn` ends it.
--
-- Locks rows of `turn`, and skips those that are locked otherwise.
create function enter_by_turn(p_runs location[]) returns void language sql as $$
  with kept as materialized (
    select t.lane, t.key from turn t, unnest(p_runs) r
    where isSame(t.lane, r.lane) and t.key = r.fairness_key
    for key share of t skip locked
  ), entering as materialized (
    select *, row_number() over (partition by lane, fairness_key order by ord) = 1
      and not exists (
        select from kept k where k.lane = r.lane and k.key = r.fairness_key) as is_next
    from unnest(p_runs) r
  ), now_ready as (
    insert into ready (lane, ord, id, key, fairness_key)
    select lane, ord, id, key, fairness_key from entering where is_next
  ), turns as (
    insert into turn (lane, key) select lane, fairness_key from entering where is_next
  )
  insert into behind (lane, key, ord, id)
  select lane, fairness_key, ord, id from entering where not is_next
$$;

-- Passes a turn of the fairness key p_key on, as the run that has it is leaving the lane p_lane:
-- the first one behind it comes to the back of the lane.
--
-- 1. Where the key has two turns, this one is given up instead, if nobody relies on it.
-- 2. Where nobody is behind, it is given up, too. Who goes behind it meanwhile has locked its row,
--    and may not be seen yet: then the run has to stay in its lane, unless this call waits for the
--    other transaction, with p_waits. Claims do not, and start other runs.
--
-- Returns whether the run may leave, and the order of the one that has the turn now, if any.
-- Locks a row of `behind` and of its run, or rows of `turn`; it skips those that are locked, unless
-- it waits.
create function pass_turn(
  p_lane text, p_key text, p_waits boolean, out o_may_leave boolean, out o_ord bigint
) language plpgsql as $$
declare
  v_turns tid[];
  v_id text;
begin
  if p_waits then
    perform from turn where lane = p_lane and key = p_key for update;
    perform from behind where lane = p_lane and key = p_key order by ord limit 1 for update;
  end if;
  o_may_leave := true;
  v_turns := array (select ctid from turn where lane = p_lane and key = p_key limit 2);
  if cardinality(v_turns) = 2 then
    v_turns := array (
      select ctid from turn where lane = p_lane and key = p_key limit 2 for update skip locked);
    if cardinality(v_turns) = 2 then
      delete from turn where ctid = v_turns[1];
      return;
    end if;
  end if;
  for v_try in 1 .. 2 loop
    delete from behind where ctid = (
      select ctid from behind where lane = p_lane and key = p_key order by ord limit 1
      for update skip locked)
    returning id into v_id;
    if found then
      o_ord := nextval('back_order');
      insert into ready (lane, ord, id, key, fairness_key)
      values (p_lane, o_ord, v_id, (select r.key from run r where hasId(r, v_id)), p_key);
      update run set ord = o_ord where hasId(run, v_id);
      return;
    end if;
    if exists (select from behind where lane = p_lane and key = p_key) then
      exit;
    end if;
    -- What was committed until it has the lock is seen by the second try.
    if v_try = 1 then
      v_turns := array (
        select ctid from turn where lane = p_lane and key = p_key limit 1 for update skip locked);
      exit when cardinality(v_turns) = 0;
    else
      delete from turn where ctid = v_turns[1];
      return;
    end if;
  end loop;
  o_may_leave := false;
end
$$;
