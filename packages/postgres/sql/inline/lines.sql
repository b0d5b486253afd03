-- The usual reply to a claim: a text for each column, with a line for each run. It takes a third of
-- the time of JSON, which escapes every payload once more.

-- Whether a text has no line break; null where it is null.
create function isOneLine(content text) returns boolean return
  strpos(content, chr(10)) = 0;

-- The payload as a line. It is empty for a payload that is a row of its own: one that is large,
-- empty, or has line breaks.
create function payloadLine(r record) returns text return
  case when octet_length(r.payload) < Limit.linePayloadBytes and isOneLine(r.payload)
    then r.payload else '' end;

-- A value as a line, null as an empty one.
create function lineOf(content text) returns text return
  coalesce((content)::text, '');

-- Joins the values of a column.
create function joinLines(content text) returns text return
  string_agg(lineOf(content), chr(10));

-- Whether a run was neither scheduled nor executed before, nor submitted with more than a payload:
-- its rare columns are left out.
create function isUsual() returns boolean return
  run_at is null and epoch = 0 and record is null and created_at is null
    and extras is null;

-- The columns of a single run `r` at its place `l`, as lines of one text: what few runs are sent
-- as, because to make and to send a row costs more than to make such a text.
create function runLines(l record, r record) returns text return
  concat_ws(chr(10), inOrder(PlainColumns,
    lanes => lineOf(l.n),
    ids => lineOf(l.id),
    laneSeqs => lineOf(l.ord),
    rowsAt => lineOf(l.row_at),
    payloads => lineOf(payloadLine(r)),
    submittedAts => lineOf(submitted_at)),
    case when not (isUsual()) then concat_ws(chr(10), inOrder(RareColumns,
      runAts => lineOf(dueOf(r)),
      epochs => lineOf(epoch + 1),
      records => lineOf(record),
      createdAts => lineOf(created_at),
      extras => lineOf(extras))) end);

-- Whether the run `r` of a place `l` is plain: without a concurrency or fairness key, readable,
-- where its lane says it is, and with an id and records of one line.
create function isPlain(l record, r record) returns boolean return
  (l.key is null and r.epoch >= 0 and r.epoch < Limit.lastEpoch and isOneLine(l.id)
    and (r.record is null or r.record <> '' and isOneLine(r.record))
    and (r.extras is null or isOneLine(r.extras)) and r.fairness_key is null) is true;
