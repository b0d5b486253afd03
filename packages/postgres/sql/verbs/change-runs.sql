-- Writes runs that no worker holds, and cancel requests of those that one does, each only if it is
-- still what was seen: `change` of the port. Ids must not repeat.
--
-- p_ids, p_seen: the runs, and what was read of each, by which it is recognised
-- p_destinations: a letter for each, as that of a settlement: the back of its lane, the schedule,
--   or an end state, in small letters for a dead letter; or a mark: the run is to be forgotten, or
--   to get a cancel request
-- p_instants: when it is due in the schedule, when it was submitted again, or when it ended
-- p_error_names, p_results, p_records: what is written down. One without a record keeps that of its
--   latest settlement
-- p_group_ids, p_group_titles, p_spent: of dead letters, the group and the attempts
-- p_keep_keys_ms: how long keys of forgotten runs are known
-- p_note_keys, p_note_seen, p_note_values, p_note_ttls_ms, p_note_ends: notes that are written with
--   the runs, as for `write_notes`; null keys without any. Then nothing is written unless all runs
--   and notes are
--
-- Returns as JSON the lanes that have work, what ended, and a letter for each. Runs that another
-- client is moving or settling are answered `locked`: its transaction may be a handler's, and take
-- long.
-- Locks the notes first; then what `lock_locations` locks. What was seen is compared in a statement
-- that begins when they are locked.
create function change_runs(
  p_ids text[], p_seen text[], p_destinations text, p_instants bigint[], p_error_names text[],
  p_results text[], p_records text[], p_group_ids text[], p_group_titles text[], p_spent bigint[],
  p_keep_keys_ms bigint, p_note_keys text[], p_note_seen bigint[], p_note_values text[],
  p_note_ttls_ms bigint[], p_note_ends bigint[]
) returns text language plpgsql
-- @include settings
as $$
declare
  v_now bigint := now_ms();
  v_end bigint := nextval('end_order');
  v_waiting text[] := array (
    select id from unnest(p_ids, p_seen) as s (id, seen)
    where left(seen, 1) in (States.waiting));
  v_ended text[] := array (
    select id from unnest(p_ids, p_seen) as s (id, seen)
    where left(seen, 1) not in (States.active));
  v_runs location[];
  v_groups text[];
  v_ready text[];
  v_later text[];
  v_results boolean := false;
  v_finished bigint := 0;
  v_long bigint := 0;
  v_awaited text[];
  v_dead dead_letter[];
  v_rows tid[];
  v_requested text[];
  v_unparked text[];
  v_done text[];
  v_answers text;
  v_fair location[];
  v_passed text[];
  v_one json;
  v_setting text;
begin
  if p_note_keys is not null and lock_notes(p_note_keys, p_note_seen) <> '{}' then
    perform forget_unwritten(p_note_keys);
    return json_build_object('isFenced', true)::text;
  end if;
  if cardinality(v_waiting) > 0 then
    select array_agg(r) into v_runs from lock_waiting(v_waiting) r;
  end if;
  if cardinality(v_ended) > 0 then
    select v_runs || array_agg(r) into v_runs from lock_locations(v_ended, true) r;
  end if;
  v_setting := set_config('enable_hashjoin', 'on', true);
  select array_agg(locationOf(f)) into v_runs
  from unnest(v_runs) f join changesAsked() a on a.id = f.id join run r on hasId(r, f.id)
  where seenAsWritten(r) = a.seen;
  v_setting := set_config('enable_hashjoin', 'off', true);
  -- A run that is to get a cancel request, and is being settled, is locked, and skipped.
  if strpos(p_destinations, ChangeMark.requestCancel) > 0 then
    v_rows := array (
      select r.row_at from changesAsked() a, lateral (
        select ctid as row_at from run
        where hasId(run, a.id) and state in (State.submitted, State.started)
        for update skip locked) r
      where a.destination = ChangeMark.requestCancel);
    v_requested := array (
      select r.id from run r join changesAsked() a on r.id = a.id
      where r.ctid = any (v_rows) and a.destination = ChangeMark.requestCancel
        and seenOf(r, isClaimed(r)) = a.seen);
  end if;
  v_done := array (select id from unnest(v_runs)) || v_requested;
  if cardinality(v_done) = cardinality(p_ids) then
    v_answers := repeat(Answer.change.done, cardinality(p_ids));
  else
    select coalesce(string_agg(
      case when a.id = any (v_done) then Answer.change.done
        when r.id is null then Answer.change.gone
        when seenOf(r, isClaimed(r)) = a.seen then Answer.change.locked
        else Answer.change.changed end, '' order by n), '') into v_answers
    from changesAsked() a left join run r on hasId(r, a.id);
    if p_note_keys is not null then
      perform forget_unwritten(p_note_keys);
      return json_build_object('isRefused', true, 'answers', v_answers)::text;
    end if;
  end if;
  -- Turns of fairness keys pass on in the order of the changes: a run may get one and leave, too.
  if cardinality(p_ids) > 1 and exists (
    select from unnest(v_runs) f join ready l on isSame(l.lane, f.lane) and l.ord = f.ord
    where f.state = State.submitted and hasTurn(l))
  then
    v_answers := '';
    for i in 1 .. cardinality(p_ids) loop
      v_one := change_runs(p_ids => p_ids[i:i],
        p_seen => array[coalesce((
          select seenAsWritten(r) from unnest(v_runs) f join run r on hasId(r, f.id)
          where f.id = p_ids[i]), p_seen[i])],
        p_destinations => substr(p_destinations, i, 1), p_instants => p_instants[i:i],
        p_error_names => p_error_names[i:i], p_results => p_results[i:i],
        p_records => p_records[i:i], p_group_ids => p_group_ids[i:i],
        p_group_titles => p_group_titles[i:i], p_spent => p_spent[i:i],
        p_keep_keys_ms => p_keep_keys_ms, p_note_keys => null, p_note_seen => null,
        p_note_values => null, p_note_ttls_ms => null, p_note_ends => null)::json;
      v_ready := v_ready || texts_of(v_one -> 'ready');
      v_later := v_later || texts_of(v_one -> 'later');
      v_unparked := v_unparked || texts_of(v_one -> 'unparked');
      v_results := v_results or (v_one ->> 'results')::boolean;
      v_finished := v_finished + (v_one ->> 'finished')::bigint;
      v_long := v_long + (v_one ->> 'long')::bigint;
      v_answers := v_answers || (v_one ->> 'answers');
    end loop;
    if p_note_keys is not null then
      perform put_notes(p_keys => p_note_keys, p_values => p_note_values,
        p_ttls_ms => p_note_ttls_ms, p_ends => p_note_ends, p_probes_ms => null, p_now => now_ms());
    end if;
    return json_build_object('ready', v_ready, 'later', v_later, 'unparked', v_unparked,
      'results', v_results, 'finished', v_finished, 'long', v_long, 'answers', v_answers)::text;
  end if;
  if cardinality(v_ended) > 0 then
    perform leave_groups(array (select id from unnest(v_runs) where is_dead));
  end if;
  v_passed := remove_from_locations(v_runs);
  if p_group_ids is not null then
    v_groups := admit_groups(array (
      select f.lane from changesAsked() a left join unnest(v_runs) f on f.id = a.id order by n),
      p_group_ids);
  end if;
  -- Deletes the runs that are to be forgotten; their keys stay known for a time.
  if strpos(p_destinations, ChangeMark.forget) > 0 then
    v_setting := set_config('enable_hashjoin', 'on', true);
    with forgotten as (
      delete from run r using unnest(v_runs) f join changesAsked() a on a.id = f.id
      where hasId(r, f.id) and a.destination = ChangeMark.forget
      returning r.id, r.is_keyed, r.ended_at
    ), keys as (
      -- @include keep-keys
    )
    insert into tally (submitted, forgotten) select 0, count(*) from forgotten having count(*) > 0;
    v_setting := set_config('enable_hashjoin', 'off', true);
  end if;
  -- Writes runs as a settlement does. Without a record, the columns are enough.
  if translate(p_destinations, ChangeMark.forget || ChangeMark.requestCancel, '') <> '' then
    v_setting := set_config('enable_hashjoin', 'on', true);
    with asked as materialized (
      select *,
        case when destination in (Destinations.continued) then nextval('back_order') end as ord
      from (
        select unnest(p_ids) as id, unnest(p_seen) as seen,
          unnest(string_to_array(p_destinations, null)) as destination, unnest(p_instants) as at,
          unnest(p_error_names) as error, unnest(v_groups) as group_id,
          unnest(p_group_titles) as title, unnest(p_spent) as spent, unnest(p_results) as result,
          unnest(p_records) as record, generate_series(1::bigint, cardinality(p_ids)) as n) input
    ), written as (
      update run r set
        state = case a.destination when Destination.schedule then State.scheduled
          when Destination.back then State.submitted else a.destination end::"char",
        ord = coalesce(a.ord, v_end),
        created_at = case
          when a.record is null and a.destination = Destination.back
          then coalesce(r.created_at, r.submitted_at) else r.created_at end,
        submitted_at = case when a.record is not null then null
          when a.destination = Destination.back then a.at else r.submitted_at end,
        run_at = case
          when a.destination in (Destinations.continued)
            and (a.record is null or a.destination = Destination.schedule) then a.at
          when a.record is null then r.run_at end,
        claimed_at = null, heartbeat_at = null,
        ended_at = case when a.destination not in (Destinations.continued) then a.at end,
        holds_key = r.holds_key and r.keeps_key is true
          and a.destination in (Destinations.continued),
        is_dead = a.destination in (States.deadLetters), error_group = a.group_id,
        spent = a.spent, result = a.result, error_name = a.error,
        record = coalesce(a.record, r.record)
      from unnest(v_runs) f join asked a on a.id = f.id
      where hasId(r, f.id) and a.destination not in (ChangeMark.forget, ChangeMark.requestCancel)
      returning a.n, r.ctid as row_at, r.id, r.lane, r.state, r.ord, r.run_at, r.key, r.is_dead,
        r.keep_ms, r.error_group, a.title, r.spent, r.ended_at, longBytes(r) as long,
        r.fairness_key, locationOf(r) as place
    ), ready_again as (
      insert into ready (lane, ord, id, key, row_at)
      select lane, ord, id, key, row_at from written
      where state = State.submitted and fairness_key is null
    ), for_later as (
      insert into scheduled (lane, run_at, ord, id, row_at)
      select lane, run_at, ord, id, row_at from written where state = State.scheduled
    ), finished_now as (
      insert into finished (ord, count, ids, rows_at)
      select v_end, count(*), array_agg(id order by n), array_agg(row_at order by n) from written
      where state not in (States.waiting) and not is_dead and keep_ms is null having count(*) > 0
    )
    select array_agg(distinct lane) filter (where state = State.submitted),
      array_agg(distinct lane) filter (where state = State.scheduled),
      coalesce(bool_or(keep_ms is not null and state not in (States.waiting)), false),
      count(*) filter (where state not in (States.waiting) and not is_dead and keep_ms is null),
      array_agg(id)
        filter (where keep_ms is not null and state not in (States.waiting) and not is_dead),
      array_agg((lane, error_group, title, id, spent, ended_at, v_end, n)::dead_letter)
        filter (where is_dead),
      coalesce(sum(long)
        filter (where state not in (States.waiting) and not is_dead and keep_ms is null), 0),
      array_agg(place) filter (where state = State.submitted and fairness_key is not null)
    into v_ready, v_later, v_results, v_finished, v_awaited, v_dead, v_long, v_fair from written;
    v_setting := set_config('enable_hashjoin', 'off', true);
    if v_fair is not null then
      perform enter_by_turn(v_fair);
    end if;
    -- @include note-long
    if v_dead is not null then
      perform join_groups(v_dead);
    end if;
    if v_awaited is not null then
      perform keep_awaited(v_awaited);
    end if;
  end if;
  -- Leaves cancel requests.
  if cardinality(v_requested) > 0 then
    update run set wants_cancel = true where ctid = any (v_rows) and id = any (v_requested);
  end if;
  v_unparked := unpark_runs(keys_of(array (
    select r from unnest(v_runs) r where r.state in (States.waiting))));
  v_ready := v_ready || v_passed;
  if v_ready is not null or v_later is not null or v_unparked is not null or v_results then
    perform notify_waiters(v_ready || v_unparked, v_later, v_results);
  end if;
  if p_note_keys is not null then
    perform put_notes(p_keys => p_note_keys, p_values => p_note_values,
      p_ttls_ms => p_note_ttls_ms, p_ends => p_note_ends, p_probes_ms => null, p_now => now_ms());
  end if;
  return json_build_object('ready', v_ready, 'later', v_later, 'unparked', v_unparked,
    'results', v_results, 'finished', v_finished, 'long', v_long, 'answers', v_answers)::text;
end
$$;
