-- Settles, then claims, in one call: one round trip with any client, and one commit. What an
-- exchange does as a rule is written in line, as few statements; what is rare is in functions.
--
-- 1. A claim whose request was answered before returns the runs of that claim which are still
--    leased by it. A repetition that arrives while the first is being answered waits for that.
-- 2. The rows of earlier requests are dropped when all of their runs have been settled.
-- 3. Lanes that are on hold are left out: see `open_lanes`.
-- 4. Where retention is due, finished runs are trimmed, and what has expired is removed.
--
-- p_ids, p_rows_at, p_epochs, p_lane_seqs: the runs, where their claims have seen their rows, their
--   epochs, and their orders in their lanes
-- p_destinations: a letter for each: front or back of the lane, the schedule, or an end state, in
--   small letters for a dead letter
-- p_only_if_expired: only runs whose lease has expired
-- p_started_ats, p_instants, p_delays_ms: when each was started, when it ends or is due, or how
--   long after now it is due
-- p_error_names, p_results, p_records: what is written down; the records are lines of one text
-- p_group_numbers, p_spent: of dead letters, the number of the group, from 1, and the attempts
-- p_group_lanes, p_group_ids, p_group_titles: these groups
-- p_notify: whether waiting processes are notified
-- p_worker, p_request, p_ended_requests: the worker and its request, and its earlier requests that
--   need no row any longer; without a worker nothing is claimed
-- p_limit, p_lanes, p_lane_limits: the most runs, of all lanes and of each
-- p_low_seqs, p_low_run_ats: from where on each lane and its schedule are read
-- p_lease_ms: for how long the runs are leased
-- p_task_limits, p_task_waits: for each lane the limit of its task, and whether runs beyond it
--   wait; null where no lane has one
-- p_due_limits: for each lane how many due runs come first; null where no lane has such a limit
-- p_keep_finished, p_trim_from: how many finished runs are kept (negative: all), and from where on
--   they are counted; null where retention is not due
-- p_keep_keys_ms, p_keep_for_ms, p_keep_bytes: how long keys of forgotten runs are known, and for
--   how long finished runs and how many bytes of their long texts are kept, null where not bounded
--
-- Returns rows. The first is JSON, without what is as it is as a rule. If plain runs were claimed,
-- rows of `PlainColumns` and `RareColumns` follow, or a row for each of few runs with a line for
-- each of these columns; then the payloads that are rows of their own.
-- Locks, one after another: the request; rows of started runs, then their concurrency keys; rows in
-- `ready` and `scheduled`, skipping those that are locked.
create function settle_and_claim(
  p_ids text[], p_rows_at tid[], p_epochs bigint[], p_lane_seqs bigint[], p_destinations text,
  p_only_if_expired boolean, p_started_ats bigint[], p_instants bigint[], p_delays_ms bigint[],
  p_error_names text[], p_results text[], p_records text, p_group_numbers bigint[],
  p_spent bigint[], p_group_lanes text[], p_group_ids text[], p_group_titles text[],
  p_notify boolean, p_worker text, p_request text, p_ended_requests text[], p_limit bigint,
  p_lanes text[], p_lane_limits bigint[], p_low_seqs bigint[], p_low_run_ats bigint[],
  p_lease_ms bigint, p_task_limits bigint[], p_task_waits boolean[], p_due_limits bigint[],
  p_keep_finished bigint, p_trim_from bigint, p_keep_keys_ms bigint, p_keep_for_ms bigint,
  p_keep_bytes bigint
) returns setof text language plpgsql
-- @include settings
as $$
declare
  v_now bigint := now_ms();
  v_setting text;
  -- What a settlement works with.
  v_end bigint;
  v_front bigint;
  v_settled bigint[];
  v_keys text[];
  v_awaited text[];
  v_answers text;
  v_unparked text[];
  v_ready text[];
  v_later text[];
  v_results boolean;
  v_groups text[];
  v_dead dead_letter[];
  v_long bigint;
  v_fair location[];
  -- What a claim works with.
  v_dues bigint[];
  v_due bigint;
  v_is_repeated boolean;
  v_got record;
  v_is_plain boolean;
  v_is_cut boolean;
  v_lines text[];
  v_apart text[];
  v_runs text;
  -- Null where `claim-few` did nothing, and false where it has claimed nothing because of what it
  -- saw.
  v_is_clear boolean;
  v_is_any_held boolean;
  v_is_held boolean;
  v_held boolean[];
  v_probing text[];
  v_about_holds text;
  v_line text;
  v_tidied record;
  v_rest text;
begin
  if p_worker is not null then
    if current_setting('transaction_isolation') <> 'read committed' then
      perform require_read_committed('a claim');
    end if;
    if not pg_try_advisory_xact_lock(Schema.lock, hashtext(concat(p_worker, ' ', p_request))) then
      perform pg_advisory_xact_lock(Schema.lock, hashtext(concat(p_worker, ' ', p_request)));
    end if;
    if cardinality(p_ids) = 1 then
      if areFew() and seemCompleted() then
        v_end := nextval('end_order');
        -- @include claim-few settling
      end if;
    end if;
  end if;
  if cardinality(p_ids) > 0 and v_is_clear is not true then
    -- @include settle
    v_ready := v_ready || v_unparked;
    -- Runs that get their slot back return to their old places in the lane, which may be before
    -- what the client has read: reads these lanes whole.
    if v_unparked is not null and p_lanes is not null then
      p_low_seqs := array (
        select case when lane = any (v_unparked) then 0 else low end
        from (select unnest(p_lanes) as lane, unnest(p_low_seqs) as low,
          generate_series(1::bigint, cardinality(p_lanes)) as n) asked order by n);
    end if;
    if v_results or v_ready is not null or v_later is not null then
      if p_notify then
        perform notify_waiters(v_ready, v_later, v_results);
      end if;
      v_rest := concat(',"unparked":', coalesce(to_json(v_unparked)::text, '[]'),
        ',"ready":', coalesce(to_json(v_ready)::text, '[]'),
        ',"later":', coalesce(to_json(v_later)::text, '[]'),
        ',"results":', coalesce(v_results, false)::text);
    end if;
  end if;
  if p_worker is not null then
    if v_is_clear is null then
      if areFew() then
        -- @include claim-few
      end if;
    end if;
    if v_is_clear is not true then
      -- Moves what is due into the lanes, and reads when the rest is.
      -- @include look
      -- @include open
      if v_due <= v_now then
        if p_due_limits is not null then
          perform promote_lanes(p_limit => p_limit, p_lanes => p_lanes,
            p_lane_limits => p_lane_limits, p_low_seqs => p_low_seqs,
            p_low_run_ats => p_low_run_ats, p_due_limits => p_due_limits, p_dues => v_dues,
            p_held => v_held, p_now => v_now);
        else
          for v_lane in 1 .. cardinality(p_lanes) loop
            if v_dues[v_lane] <= v_now and v_held[v_lane] is not true then
              perform promote_due(p_lane => p_lanes[v_lane], p_low_run_at => p_low_run_ats[v_lane],
                p_limit => greatest(least(p_lane_limits[v_lane], p_limit), 1000),
                p_is_first => false, p_now => v_now);
            end if;
          end loop;
        end if;
        -- @include look
      end if;
      if v_is_repeated then
        v_rest := concat(v_rest, ',"claimed":', recall_claim(p_worker, p_request));
      elsif p_limit > 0 then
        -- Where tasks have limits: claims run by run if any of their lanes has something for it,
        -- and otherwise leaves these lanes out, so that the others are claimed as usual.
        if p_task_limits is not null then
          if exists (
            select from (select unnest(p_lanes) as lane, unnest(p_low_seqs) as low,
              unnest(p_task_limits) as task_limit,
              generate_series(1::bigint, cardinality(p_lanes)) as n) asked
            where task_limit is not null and (hasReady(asked.lane, asked.low)
              or exists (select from parked p
                where p.key = asked.lane and p.lane = asked.lane and p.key_limit < task_limit))
          ) then
            v_is_plain := false;
          else
            p_lane_limits := array (
              select case when task_limit is null then most else 0 end
              from (select unnest(p_lane_limits) as most, unnest(p_task_limits) as task_limit,
                generate_series(1::bigint, cardinality(p_lane_limits)) as n) asked order by n);
          end if;
        end if;
        if v_is_plain is null then
          -- @include claim-plain
        end if;
        if v_is_cut then
          v_rest := concat(v_rest, ',"isCut":true');
        end if;
      end if;
    end if;
    -- Claims run by run what is not plain, and stores the claim.
    if not v_is_plain then
      select * into v_got
      from claim_runs(p_limit => p_limit, p_lanes => p_lanes, p_lane_limits => p_lane_limits,
        p_low_seqs => p_low_seqs, p_task_limits => p_task_limits, p_task_waits => p_task_waits,
        p_now => v_now, p_lease_until => v_now + p_lease_ms);
      v_rest := concat(v_rest, ',"claimed":[', array_to_string(v_got.o_claimed, ','),
        '],"isCut":', to_json(v_got.o_is_cut),
        ',"busyUntil":', coalesce(v_got.o_busy_until::text, 'null'));
      if v_got.o_claimed is not null then
        insert into claim (worker, request, at, until, ids, ords, lanes)
        values (p_worker, p_request, v_now, v_now + p_lease_ms, v_got.o_ids, v_got.o_ords,
          array (select distinct lane from unnest(v_got.o_lanes) as lane));
        -- @include end-claims
        ;
      end if;
      if v_got.o_turns is not null then
        v_rest := concat(v_rest, ',"turns":', to_json(v_got.o_turns));
        if p_notify then
          perform notify_waiters(array (
              select lane from unnest(p_lanes, v_got.o_turns) as turns (lane, ord)
              where ord is not null), null, false);
        end if;
      end if;
    end if;
    -- A claim that is repeated lets no further run through.
    if v_is_held then
      v_about_holds := note_probes(p_worker => p_worker, p_request => p_request,
        p_lanes => p_lanes, p_low_seqs => p_low_seqs, p_dues => v_dues,
        p_probing => case when not v_is_repeated then v_probing end, p_now => v_now);
    end if;
  end if;
  if p_keep_finished is not null then
    v_rest := concat(v_rest, ',"trimmed":', coalesce(
      trim_finished(p_keep_finished => p_keep_finished, p_trim_from => p_trim_from,
        p_keep_keys_ms => p_keep_keys_ms, p_keep_for_ms => p_keep_for_ms,
        p_keep_bytes => p_keep_bytes, p_now => v_now)::text, 'null'));
  end if;
  if p_trim_from = 0 then
    select * into v_tidied from tidy(v_now);
    v_rest := concat(v_rest, ',"released":', v_tidied.o_released,
      ',"isTidy":', to_json(v_tidied.o_is_all));
  end if;
  if v_due is not null then
    v_rest := concat(v_rest, ',"dues":', to_json(v_dues));
  end if;
  return next concat('{"now":', v_now, ',"settled":"', v_answers,
    '","until":', coalesce(v_now + p_lease_ms, 0), v_runs, v_rest, v_about_holds, '}');
  if v_lines is not null then
    foreach v_line in array v_lines loop
      return next v_line;
    end loop;
    if v_apart is not null then
      return query select r.payload from unnest(v_apart) with ordinality as apart (id, n),
        lateral (select payload from run where hasId(run, apart.id) offset 0) r order by apart.n;
    end if;
  end if;
end
$$;
