-- A lane in its order: first the released runs, whose orders are below zero, the latest released
-- first; then all others, from 1 on. Both ranges leave deleted rows behind, which stay in the index
-- until no snapshot can see them. So each is read by itself, and the second one from where it was
-- lately found empty: a condition that spans both would read everything deleted since.

-- A place among the released runs.
create function isReleased() returns boolean return
  ord < 0;

-- A place behind the released runs, and beyond the order from which the lane is to be read.
create function isBeyond(low bigint) returns boolean return
  ord > greatest(low, 0);

-- Whether the run of a place has the turn of its fairness key: it came to the back of its lane.
create function hasTurn(l record) returns boolean return
  (l.fairness_key is not null and l.ord > 0);

-- Whether a released run waits in a lane.
create function hasReleased(of_lane text) returns boolean return
  exists (select from ready where lane = of_lane and isReleased());

-- Whether a run waits in a lane that is to be read from an order on.
create function hasReady(of_lane text, low bigint) returns boolean return
  (hasReleased(of_lane) or exists (select from ready where lane = of_lane and isBeyond(low)));

-- When the next run of a lane's schedule is due, from an instant on.
create function nextDue(of_lane text, low bigint) returns bigint return
  (select run_at from scheduled where lane = of_lane and run_at >= low order by run_at limit 1);

-- Whether any lanes are on hold: what each exchange asks. The condition holds for every row, and
-- lets the server read the table, which is empty as a rule, without opening its index: that would
-- be a fortieth of the time of an exchange of one run.
create function isAnyHeld() returns boolean return
  exists (select from hold where ctid >= '(0,0)');

-- Until when no run of a lane may start: null when it is not on hold, the last of all numbers when
-- it has to be resumed. A hold that is not active and probes lets a run through.
create function heldUntil(of_lane text, at_now bigint) returns bigint return
  (select max(coalesce(h.until, Limit.forEver)) from hold h
    where h.lane in (Hold.allLanes, of_lane) and (h.until is null or h.until > at_now));

-- Whether a claim may start runs of a lane: for the condition of the statement that finds them. A
-- hold that was answered after the claim had looked for holds may come before a run that the
-- statement sees. By a comparison: the server expects a third of the lanes to pass it, and one in
-- two hundred to be null, and would look up the runs of so few one by one.
create function isOpen(of_lane text, at_now bigint) returns boolean return
  coalesce(heldUntil(of_lane, at_now), at_now) <= at_now;

-- When a claim gets more of a lane by time alone: when its next scheduled run is due, or its hold
-- ends; null when neither comes. What is due while the lane is on hold does not count before the
-- hold ends.
create function nextWorkAt(is_ready boolean, next_due bigint, held bigint) returns bigint return
  nullif(case when held is null then next_due when is_ready then held
    when next_due is not null then greatest(next_due, held) end, Limit.forEver);

-- Whether a process waits for work.
create function isAwaited(at_now bigint) returns boolean return
  exists (select from waiter where until > at_now and not for_results);

-- What waiting processes are notified of: the lanes that may have work now and later, and whether
-- runs have ended that a caller waits for.
create function noticeOf(
  ready_lanes text[], later_lanes text[], has_results boolean
) returns text return
  json_build_object('ready', ready_lanes, 'later', later_lanes, 'results', has_results)::text;

-- Notifies waiting processes, by an expression: a statement would have to be started. A message
-- that is too long for a notification is sent empty.
create function isSent(message text) returns boolean return
  pg_notify(Schema.channel,
    case when octet_length(message) < Limit.messageBytes then message else '' end) is not null;

-- Where the runs of a promotion are that have to enter their lane by turn.
create function placesByTurn() returns location[] return
  (select array_agg(place) from moved where fairness_key is not null and ord > 0);
