-- Inserts new runs, some of which are unique, one after another.
--
-- p_ids, p_lanes, p_payloads: the runs
-- p_run_ats, p_delays_ms: when each is due, or how long after now
-- p_keys, p_key_limits, p_key_waits, p_keeps_keys: concurrency keys, null for a run without one
-- p_keyed: whether the id was chosen by a user; null where none was
-- p_keep_results_ms: for how long the result is kept for a waiting caller
-- p_extras: JSON of what few runs are submitted with
-- p_fairness_keys: by whose turn they wait in their lanes; null where none has a fairness key
-- p_unique_keys: the unique key of each, null for a run that has none
-- p_until_started, p_untils_ms: until when the key is taken: until the run has started, for so long
--   from now on (null: until it has ended)
-- p_replaces: whether the run replaces another one
-- p_notify: whether waiting processes are notified
--
-- Returns the answer of each, the runs that the answers are about, and what replacing them freed.
-- Locks:
-- 1. The rows of the keys, by ascending key: two submissions of a key follow one another, in
--    transactions of the user's, too.
-- 2. Where runs are to be replaced, what `change_runs` locks, for all of them: `lock_waiting`. A
--    run that another client is claiming is not among those: it has started, and keeps running.
-- 3. Last, a few other keys are looked at, those that are not locked: the free ones are forgotten.
create function submit_unique(
  p_ids text[], p_lanes text[], p_payloads text[], p_run_ats bigint[], p_delays_ms bigint[],
  p_keys text[], p_key_limits bigint[], p_key_waits boolean[], p_keeps_keys boolean[],
  p_keyed boolean[], p_keep_results_ms bigint[], p_extras text[], p_fairness_keys text[],
  p_unique_keys text[], p_until_started boolean[], p_untils_ms bigint[], p_replaces boolean[],
  p_notify boolean
) returns text language plpgsql
-- @include settings
as $$
declare
  v_now bigint := now_ms();
  v_holders text[];
  v_other unique_key;
  v_ended json;
  v_answers text := '';
  v_others text[] := '{}';
  v_unparked text[];
  v_results boolean := false;
  v_finished bigint := 0;
  v_long bigint := 0;
begin
  insert into unique_key (key, id)
  select distinct key, '' from unnest(p_unique_keys) as given (key)
  where key is not null order by key
  on conflict (key) do update set key = excluded.key;
  if true = any (p_replaces) then
    v_holders := array (
      select id from unique_key
      where key = any (p_unique_keys) and has_key(unique_key, v_now));
    perform lock_keys(array (
      select key from unnest(p_keys, p_unique_keys) as given (key, unique_key)
      where key is not null and unique_key is not null
      union select one.key
      from unnest(v_holders) as h (id) join run r on hasId(r, h.id),
        unnest(array[r.key, r.lane]) as one (key)
      where r.key is not null));
    perform from lock_waiting(v_holders);
  end if;
  for i in 1 .. cardinality(p_ids) loop
    if p_unique_keys[i] is null
      or exists (select from run r where hasId(r, p_ids[i]))
      or exists (select from kept_key k where hasId(k, p_ids[i]) and k.until > v_now)
    then
      v_answers := v_answers || case
        when submit_runs(p_ids => p_ids[i:i], p_lanes => p_lanes[i:i],
          p_payloads => p_payloads[i:i], p_run_ats => p_run_ats[i:i],
          p_delays_ms => p_delays_ms[i:i], p_keys => p_keys[i:i],
          p_key_limits => p_key_limits[i:i], p_key_waits => p_key_waits[i:i],
          p_keeps_keys => p_keeps_keys[i:i], p_keyed => p_keyed[i:i],
          p_keep_results_ms => p_keep_results_ms[i:i], p_extras => p_extras[i:i],
          p_fairness_keys => p_fairness_keys[i:i], p_notify => p_notify) is null
        then Answer.submitUnique.created else Answer.submitUnique.exists end;
      continue;
    end if;
    select * into v_other from unique_key
    where key = p_unique_keys[i] and has_key(unique_key, v_now);
    if v_other.id is not null and not p_replaces[i] then
      v_answers := v_answers || Answer.submitUnique.kept;
      v_others := v_others || v_other.id;
      continue;
    end if;
    if v_other.id is not null and exists (select from lock_waiting(array[v_other.id])) then
      v_ended := change_runs(p_ids => array[v_other.id],
        p_seen => array (select seenAsWritten(r) from run r where hasId(r, v_other.id)),
        p_destinations => State.cancelled, p_instants => array[v_now], p_error_names => null,
        p_results => null, p_records => null, p_group_ids => null, p_group_titles => null,
        p_spent => null, p_keep_keys_ms => null, p_note_keys => null, p_note_seen => null,
        p_note_values => null, p_note_ttls_ms => null, p_note_ends => null)::json;
      v_answers := v_answers || Answer.submitUnique.replaced;
      v_others := v_others || v_other.id;
      v_unparked := v_unparked || texts_of(v_ended -> 'unparked');
      v_results := v_results or (v_ended ->> 'results')::boolean;
      v_finished := v_finished + (v_ended ->> 'finished')::bigint;
      v_long := v_long + (v_ended ->> 'long')::bigint;
    else
      v_answers := v_answers || Answer.submitUnique.created;
    end if;
    perform submit_runs(p_ids => p_ids[i:i], p_lanes => p_lanes[i:i],
      p_payloads => p_payloads[i:i], p_run_ats => p_run_ats[i:i], p_delays_ms => p_delays_ms[i:i],
      p_keys => p_keys[i:i], p_key_limits => p_key_limits[i:i], p_key_waits => p_key_waits[i:i],
      p_keeps_keys => p_keeps_keys[i:i], p_keyed => p_keyed[i:i],
      p_keep_results_ms => p_keep_results_ms[i:i], p_extras => p_extras[i:i],
      p_fairness_keys => p_fairness_keys[i:i], p_notify => p_notify);
    update unique_key set id = p_ids[i], to_start = p_until_started[i],
      until = case when p_untils_ms[i] is null then null
        else least(v_now + p_untils_ms[i], Limit.instantAt) end
    where key = p_unique_keys[i];
  end loop;
  with looked as (
    select ctid as row_at, has_key(unique_key, v_now) as is_taken from unique_key
    where key <> all (array_remove(p_unique_keys, null))
    order by ord limit Limit.keysLookedAt * cardinality(p_ids) for update skip locked
  ), forgotten as (
    delete from unique_key where ctid = any (array (select row_at from looked where not is_taken))
  )
  update unique_key set ord = nextval('unique_order')
  where ctid = any (array (select row_at from looked where is_taken));
  return json_build_object('answers', v_answers, 'others', v_others, 'unparked', v_unparked,
    'results', v_results, 'finished', v_finished, 'long', v_long)::text;
end
$$;
