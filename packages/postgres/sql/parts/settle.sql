-- Settles runs, as a rule in one statement. Ids must not repeat. It is part of the body of
-- `settle_and_claim`: a function of its own would cost another call and the start of another
-- statement for each exchange.
--
-- 1. Only the settlement of a run's current epoch is accepted. One that has the run's order in its
--    lane comes from the client that claimed it.
-- 2. A cancel request ends a run that would continue.
-- 3. A run that completes at its first attempt has no record: its columns are enough.
-- 4. A dead letter is counted under its group, once all settlements are written.
-- 5. A delay counts from `v_now`.
-- 6. A run with long texts comes without its row, so that this statement finds it by its id: the
--    others count no bytes.
-- 7. What has been settled beside a claim is in `v_settled`: see `claim-few`.
--
-- It sets a letter for each settlement, the lanes that got parked runs back, the lanes where
-- settled runs are ready or scheduled, and whether a run has ended whose result a caller waits for.
if p_group_ids is not null then
  v_groups := admit_groups(p_group_lanes, p_group_ids);
end if;
if strpos(p_destinations, Destination.front) > 0 then
  v_front := -nextval('front_order');
end if;
if v_is_clear is not null then
  null; -- settled beside the claim, where it was found
elsif seemCompleted() then
  -- @include settle-completed
elsif p_rows_at is not null then
  -- @include settle-found
end if;
if v_settled is null or cardinality(v_settled) < cardinality(p_ids) then
  -- @include settle-found by-id
end if;
if v_dead is not null then
  perform join_groups(v_dead);
end if;
if v_fair is not null then
  perform enter_by_turn(v_fair);
end if;
if v_ready is not null then
  v_ready := array (select distinct lane from unnest(v_ready) as lane);
end if;
if v_later is not null then
  v_later := array (select distinct lane from unnest(v_later) as lane);
end if;
if v_keys is not null then
  v_keys := array (select distinct key from unnest(v_keys) as key);
  v_unparked := unpark_runs(v_keys);
end if;
if v_awaited is not null then
  perform keep_awaited(v_awaited);
end if;
if cardinality(v_settled) = cardinality(p_ids) then
  v_answers := repeat(Answer.settle.ok, cardinality(p_ids));
else
  v_answers := answer_unsettled(p_ids => p_ids, p_epochs => p_epochs, p_records => p_records,
    p_settled => coalesce(v_settled, '{}'));
end if;
