-- All columns of the runs in `fitting`, as one array of texts; the rare ones, only where any run
-- needs one, in one subquery.
array[inOrder(PlainColumns,
  -- Which of the asked lanes each run is of, from 1; one line where all are of the same.
  lanes => case when min(n) = max(n) then min(n)::text else joinLines(n) end,
  ids => string_agg(id, chr(10)),
  laneSeqs => joinLines(ord),
  rowsAt => joinLines(row_at),
  payloads => string_agg(line, chr(10)),
  -- One line where all are the same.
  submittedAts => case
    when min(submitted_at) = max(submitted_at) and count(submitted_at) = count(*)
    then min(submitted_at)::text else joinLines(submitted_at) end)]
|| case when bool_and(isUsual()) is not true then (
  select array[inOrder(RareColumns,
    runAts => joinLines(dueOf(fitting)),
    epochs => joinLines(epoch + 1),
    records => joinLines(record),
    createdAts => joinLines(created_at),
    extras => joinLines(extras))] from fitting)
  else array[null, null, null, null, null]::text[] end
