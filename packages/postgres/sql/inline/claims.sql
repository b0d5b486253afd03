-- What a run that a claim has started looks like, and how a claim replies it.

-- Whether a run is started, although its row has the state of a waiting one. The claim of a run
-- without a concurrency or fairness key does not write into the run's row:
--
-- 1. The row keeps the state `submitted`; its entry in `ready` is gone.
-- 2. The row of `claim` has the instant of the start; the run's epoch is one more than that of its
--    row.
-- 3. What is rare (a heartbeat, an expired lease) writes both into the row of the run.
--
-- `offset 0` makes the server find each run by the index, whatever size it estimates for the table.
-- After waiting for a lock, the server reads the row again but not this subquery, so a statement
-- that locks a claimed run also compares its epoch or its order in the lane.
create function isClaimed(r record) returns boolean return
  (r.state = State.submitted and r.key is null and r.fairness_key is null
    and not exists (select from ready l where l.lane = r.lane and l.ord = r.ord offset 0));

-- Whether a claim started the run: no two entries of lanes have the same order.
create function isStartedBy(r record, lease record) returns boolean return
  (hasId(r, lease.id) and r.ord = lease.ord
    and r.state in (State.submitted, State.started));

-- Whether this request has been answered.
create function isRepeated() returns boolean return
  exists (select from claim where worker = p_worker and request = p_request);

-- A concurrency key and what it allows, as JSON.
create function concurrencyOf(r record) returns json return
  case when r.keeps_key
    then json_build_object('key', r.key, 'limit', r.key_limit,
      'whenFull', case when r.key_waits then 'wait' else 'claim' end, 'holdWhileRetrying', true)
    else json_build_object('key', r.key, 'limit', r.key_limit,
      'whenFull', case when r.key_waits then 'wait' else 'claim' end) end;

-- One claimed run as JSON, from its row as it waited: the fields of `ClaimedRows`, most with a list
-- of one.
create function claimedOne(
  r record, of_lane text, started_at bigint, leased_until bigint, concurrency json,
  is_over_limit boolean
) returns json return
  json_build_object(
    'ids', json_build_array(r.id),
    'laneSeqs', json_build_array(r.ord),
    'epochs', json_build_array(r.epoch + 1),
    'payloads', json_build_array(r.payload),
    'submittedAts', json_build_array(r.submitted_at),
    'runAts', json_build_array(dueOf(r)),
    'records', json_build_array(r.record),
    'extras', json_build_array(r.extras),
    'createdAts', case when r.created_at is not null then json_build_object(r.id, r.created_at) end,
    'lane', of_lane,
    'at', started_at,
    'until', leased_until,
    'concurrency', concurrency,
    'fairnessKey', r.fairness_key,
    'isOverLimit', is_over_limit);

-- How many slots of a key are taken: by runs that have it, and, where it is a lane, by runs of that
-- with keys of their own.
create function slotsTaken(wanted text) returns bigint return
  ((select count(*) from run taker where taker.key = wanted and taker.holds_key)
    + (select count(*) from run taker where taker.lane = wanted and taker.holds_lane));

-- Whether all settlements may be of runs that completed at their first attempt.
create function seemCompleted() returns boolean return
  p_rows_at is not null and p_records is null and not p_only_if_expired
    and p_destinations = repeat(Destination.completed, length(p_destinations));

-- Whether a claim asks for so few runs of one lane that one statement makes it: see `claim-few`.
create function areFew() returns boolean return
  p_limit between 1 and Limit.fewRuns and cardinality(p_lanes) = 1 and p_lane_limits[1] > 0
    and p_task_limits is null;
