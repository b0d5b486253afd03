-- Expressions that the build writes in place of their calls. Each is declared like a function of
-- one expression, and no server ever has it. Besides these there are two that the build makes:
--
-- - `inOrder(List, name => expression, …)`: the expressions in the order of a list of `names.ts`
-- - `nameOf(letter, Table)`: the name that a table of `names.ts` has for a letter

-- Finds the row of an id in a table whose primary key begins with a hash of the id.
--
-- `between` for the reason of `isSame`; it finds as fast as `=`, and few ids share a hash.
create function hasId(r record, wanted text) returns boolean return
  (r.hash between hashtext(wanted) and hashtext(wanted) and r.id = wanted);

-- `found = wanted` where a table is joined by an index whose first column this is.
--
-- By `=` the planner could merge, so it considers to read the index as a whole, also where
-- `enable_mergejoin` is off. Where a plan is made while the table has hardly a row, and was
-- vacuumed so, that costs no more than to look one row up; a connection keeps its plans until the
-- next analysis, and by then there may be very many rows.
create function isSame(found text, wanted text) returns boolean return
  found = any (array[wanted]);

-- Finds the row of a run where it was when it was last written, which takes a fifth of the time of
-- `hasId`. What remembers a `ctid` has to look by the id as well where this finds nothing: an
-- update moves a row, and so do `vacuum full` and a restore.
--
-- `is true` keeps the planner from the index by id, which it would read as a whole, since that
-- begins with the hash.
create function isAt(r record, place tid, wanted text) returns boolean return
  (r.ctid = place and (r.id = wanted) is true);

-- About how many bytes a run takes in a reply.
create function sizeOf(r record) returns bigint return
  256 + octet_length(r.payload) + coalesce(octet_length(r.record), 0)
    + coalesce(octet_length(r.extras), 0);

-- The epoch of a run that is started. The column may contain the largest number, which cannot be
-- incremented.
create function nextEpoch(past bigint) returns bigint return
  least(past, 9223372036854775806) + 1;

-- When a run was due; null where its record says so. Most are due when they are submitted, and have
-- no instant of their own.
create function dueOf(r record) returns bigint return
  coalesce(r.run_at, case when r.record is null then r.submitted_at end);

-- What `change_runs` recognises the row of a run by: each move changes its order, its epoch or its
-- state. Where retention has deleted the payload, a mark follows.
create function seenAsWritten(r record) returns text return
  concat(r.state, r.epoch, '.', r.ord, case when isTrimmed(r) then Mark.trimmed end);

-- The same of a run that may be claimed: a claim that has not written into the row counts as if it
-- had.
create function seenOf(r record, is_started boolean) returns text return
  case when is_started then concat(State.started, nextEpoch(r.epoch), '.', r.ord)
    else seenAsWritten(r) end;

-- The fields of the type `location`: where a run is, without what it carries.
create function locationOf(r record) returns location return
  (r.id, r.state, r.ord, r.lane, r.run_at, r.key, r.key_limit, r.is_dead,
    r.fairness_key)::location;

-- Whether a text of a run is stored apart, and counts as long.
create function isLong(content text) returns boolean return
  coalesce(octet_length(content), 0) > Limit.shortText;

-- How many bytes a text has if it is long.
create function bytesOfLong(content text) returns bigint return
  case when isLong(content) then octet_length(content) else 0 end;

-- How many bytes the long texts of a run have. It reads none of them.
create function longBytes(r record) returns bigint return
  (bytesOfLong(r.payload) + bytesOfLong(r.result));

-- What replaces a payload or a result that retention has deleted: no JSON.
create function trimmedText() returns text return
  (chr(1) || Mark.trimmedText);

-- Whether retention has deleted the payload of a run.
create function isTrimmed(r record) returns boolean return
  r.payload = trimmedText();
