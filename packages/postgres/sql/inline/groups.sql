-- Error groups, notes and limits: expressions that several statements have.

-- A value of the dead letter of a group that ended last.
create function latestOf(content text) returns text return
  (array_agg(content order by last_at desc nulls last, latest_ord desc))[1];

-- Whether a group has rows. The last one comes first, as it is the one that is not deleted. By `=`
-- the planner would read all groups at once into a table of its own.
create function isKnownGroup(of_lane text, wanted text) returns boolean return
  exists (select from error_group k where isSame(k.lane, of_lane) and k.id = wanted
    order by k.seq desc limit 1);

-- How many groups a lane has, besides the one that counts the rest.
create function groupsOf(of_lane text) returns bigint return
  (select count(distinct id) from error_group where lane = of_lane and id <> OtherGroup.id);

-- Whether a note is none any longer.
create function isGone(n note, at_now bigint) returns boolean return
  (n.until <= at_now and n.probe_ms is null);

-- Which lane a note of this key holds, an empty one for all lanes; null for a note of anything
-- else.
create function heldLane(of_key text) returns text return
  substring(of_key from Hold.laneOfKey);

-- The width of a bucket of a limit, in ms.
create function bucketMs(of_window_ms bigint) returns bigint return
  ((of_window_ms + 31) / 32);

-- At most `v_each` of the scheduled runs of a lane under a condition, of each lane.
create function upToEach(condition boolean) returns json return
  (select json_build_object('count', coalesce(sum(least(n, v_each)), 0),
      'isComplete', coalesce(bool_and(n <= v_each), true))
    from unnest(v_lanes) as l (lane), lateral (
      select count(*) as n from (
        select from scheduled s where s.lane = l.lane and condition
        limit v_each + 1) found) each_of);

-- What is asked for of each run by a call of `change_runs`.
create function changesAsked() returns record return
  (select unnest(p_ids) as id, unnest(p_seen) as seen,
    unnest(string_to_array(p_destinations, null)) as destination,
    generate_series(1::bigint, cardinality(p_ids)) as n);
