-- Settles runs each of which submits another one, in one statement: those of the settlements that
-- are accepted are submitted, a known id not again. A function of its own, so that no other
-- exchange carries its parameters.
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
-- p_submit_ids, p_submit_lanes, p_submit_payloads, p_submit_run_ats, p_submit_delays_ms,
--   p_submit_keys, p_submit_key_limits, p_submit_key_waits, p_submit_keeps_keys, p_submit_keyed,
--   p_submit_keep_results_ms, p_submit_extras, p_submit_fairness_keys: the run that each submits,
--   as in `submit_runs`
-- p_notify: whether waiting processes are notified
-- p_keep_finished, p_trim_from: how many finished runs are kept (negative: all), and from where on
--   they are counted; null where retention is not due
-- p_keep_keys_ms, p_keep_for_ms, p_keep_bytes: how long keys of forgotten runs are known, and for
--   how long finished runs and how many bytes of their long texts are kept, null where not bounded
--
-- Returns what `settle_and_claim` returns.
-- Locks what `settle_and_claim` and `submit_runs` lock.
create function settle_and_submit(
  p_ids text[], p_rows_at tid[], p_epochs bigint[], p_lane_seqs bigint[], p_destinations text,
  p_only_if_expired boolean, p_started_ats bigint[], p_instants bigint[], p_delays_ms bigint[],
  p_error_names text[], p_results text[], p_records text, p_group_numbers bigint[],
  p_spent bigint[], p_group_lanes text[], p_group_ids text[], p_group_titles text[],
  p_submit_ids text[], p_submit_lanes text[], p_submit_payloads text[], p_submit_run_ats bigint[],
  p_submit_delays_ms bigint[], p_submit_keys text[], p_submit_key_limits bigint[],
  p_submit_key_waits boolean[], p_submit_keeps_keys boolean[], p_submit_keyed boolean[],
  p_submit_keep_results_ms bigint[], p_submit_extras text[], p_submit_fairness_keys text[],
  p_notify boolean, p_keep_finished bigint, p_trim_from bigint, p_keep_keys_ms bigint,
  p_keep_for_ms bigint, p_keep_bytes bigint
) returns setof text language plpgsql
-- @include settings
as $$
declare
  v_replies text[];
  v_answers text;
begin
  v_replies := array (select settle_and_claim(p_ids => p_ids, p_rows_at => p_rows_at,
    p_epochs => p_epochs, p_lane_seqs => p_lane_seqs, p_destinations => p_destinations,
    p_only_if_expired => p_only_if_expired, p_started_ats => p_started_ats,
    p_instants => p_instants, p_delays_ms => p_delays_ms, p_error_names => p_error_names,
    p_results => p_results, p_records => p_records, p_group_numbers => p_group_numbers,
    p_spent => p_spent, p_group_lanes => p_group_lanes, p_group_ids => p_group_ids,
    p_group_titles => p_group_titles, p_notify => p_notify, p_worker => null, p_request => null,
    p_ended_requests => null, p_limit => null, p_lanes => null, p_lane_limits => null,
    p_low_seqs => null, p_low_run_ats => null, p_lease_ms => null, p_task_limits => null,
    p_task_waits => null, p_due_limits => null, p_keep_finished => p_keep_finished,
    p_trim_from => p_trim_from,
    p_keep_keys_ms => p_keep_keys_ms, p_keep_for_ms => p_keep_for_ms,
    p_keep_bytes => p_keep_bytes));
  v_answers := v_replies[1]::json ->> 'settled';
  perform submit_runs(p_ids => array_agg(id order by n), p_lanes => array_agg(lane order by n),
    p_payloads => array_agg(payload order by n), p_run_ats => array_agg(run_at order by n),
    p_delays_ms => array_agg(delay order by n), p_keys => array_agg(key order by n),
    p_key_limits => array_agg(key_limit order by n), p_key_waits => array_agg(key_waits order by n),
    p_keeps_keys => array_agg(keeps_key order by n), p_keyed => array_agg(is_keyed order by n),
    p_keep_results_ms => array_agg(keep_ms order by n), p_extras => array_agg(extras order by n),
    p_fairness_keys => case when p_submit_fairness_keys is not null
      then array_agg(fairness_key order by n) end,
    p_notify => p_notify)
  from (select unnest(p_submit_ids) as id, unnest(p_submit_lanes) as lane,
    unnest(p_submit_payloads) as payload, unnest(p_submit_run_ats) as run_at,
    unnest(p_submit_delays_ms) as delay, unnest(p_submit_keys) as key,
    unnest(p_submit_key_limits) as key_limit, unnest(p_submit_key_waits) as key_waits,
    unnest(p_submit_keeps_keys) as keeps_key, unnest(p_submit_keyed) as is_keyed,
    unnest(p_submit_keep_results_ms) as keep_ms, unnest(p_submit_extras) as extras,
    unnest(p_submit_fairness_keys) as fairness_key,
    generate_series(1::bigint, cardinality(p_submit_ids)) as n) given
  where substr(v_answers, n::integer, 1) = Answer.settle.ok having count(*) > 0;
  return query select unnest(v_replies);
end
$$;
