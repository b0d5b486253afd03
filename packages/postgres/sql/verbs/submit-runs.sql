-- Inserts new runs.
--
-- 1. An id conflicts with the primary key of `run`, which has every run until it is forgotten, and
--    with `kept_key`, which has the keys of forgotten runs.
-- 2. A single run that is due now and whose id was drawn is inserted by a statement of its own,
--    without a block for errors. The same statement sees whether a process waits for work.
-- 3. Of others, the first try inserts without `on conflict`: as a rule all ids are new, and a plain
--    insert takes a quarter less time.
-- 4. Where runs have fairness keys, those that are due enter their lanes by turn.
-- 5. A run that is being forgotten is in one of the two tables, but one statement may see neither.
--    A keyed id is therefore looked up in `kept_key` once more after the insert, and where the
--    snapshot of the transaction may be older, by an insert: a row that it does not see conflicts,
--    which is a serialization failure.
--
-- p_ids, p_lanes, p_payloads: the runs
-- p_run_ats, p_delays_ms: when each is due, or how long after now
-- p_keys, p_key_limits, p_key_waits, p_keeps_keys: concurrency keys, null for a run without one
-- p_keyed: whether the id was chosen by a user; null where none was
-- p_keep_results_ms: for how long the result is kept for a waiting caller
-- p_extras: JSON of what few runs are submitted with
-- p_fairness_keys: by whose turn they wait in their lanes; null where none has a fairness key
-- p_notify: whether waiting processes are notified
--
-- Returns the ids that were new, in order, as JSON; null when all of them were.
-- Locks a conflicting id, until the other transaction ends, and what `enter_by_turn` locks.
create function submit_runs(
  p_ids text[], p_lanes text[], p_payloads text[], p_run_ats bigint[], p_delays_ms bigint[],
  p_keys text[], p_key_limits bigint[], p_key_waits boolean[], p_keeps_keys boolean[],
  p_keyed boolean[], p_keep_results_ms bigint[], p_extras text[], p_fairness_keys text[],
  p_notify boolean
) returns text language plpgsql
-- @include settings
as $$
declare
  v_now bigint := now_ms();
  v_try integer := 1;
  v_created text[];
  v_fair location[];
  v_is_awaited boolean;
  v_message text;
  v_is_sent boolean;
  v_ready text[];
  v_later text[];
begin
  if cardinality(p_ids) = 1 and p_keyed is null and p_run_ats is null and p_delays_ms is null
    and p_fairness_keys is null then
    -- @include insert-runs one again
    if v_is_awaited and v_created is not null then
      v_message := noticeOf(p_lanes, null, false);
      v_is_sent := isSent(v_message);
    end if;
  else
    loop
      begin
        if p_fairness_keys is not null then
          -- @include insert-runs again fair
          if v_fair is not null then
            perform enter_by_turn(v_fair);
          end if;
        elsif v_try = 1 then
          -- @include insert-runs
        else
          -- @include insert-runs again
        end if;
        if p_keyed is not null then
          if exists (
            select from unnest(v_created) as created (id)
            join kept_key k on hasId(k, created.id) where k.until > v_now)
          then
            raise unique_violation;
          end if;
          if current_setting('transaction_isolation') <> 'read committed' then
            insert into kept_key (id, until)
            select id, 0 from unnest(p_ids, p_keyed) as input (id, is_keyed)
            where is_keyed and id = any (v_created) on conflict do nothing;
            delete from kept_key k using unnest(v_created) as created (id)
            where hasId(k, created.id) and k.until = 0;
          end if;
        end if;
        exit;
      exception when unique_violation then
        -- The second try finds every conflict with our own rows. One that stays is raised by a rule
        -- of the database's owner.
        if v_try = Limit.submitTries then
          raise;
        end if;
        v_try := v_try + 1;
      end;
    end loop;
    if p_notify and v_created is not null and isAwaited(v_now) then
      select array_agg(distinct lane) filter (where due <= v_now),
        array_agg(distinct lane) filter (where due > v_now)
      into v_ready, v_later
      from (select lane, greatest(v_now, run_at, v_now + delay) as due
        from unnest(p_lanes, p_run_ats, p_delays_ms) as input (lane, run_at, delay)) asked;
      v_message := noticeOf(v_ready, v_later, false);
      v_is_sent := isSent(v_message);
    end if;
  end if;
  if cardinality(v_created) = cardinality(p_ids) then
    return null;
  end if;
  return coalesce(to_json(v_created)::text, '[]');
end
$$;
