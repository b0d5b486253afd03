-- Reads bodies and records, as many as fit into a reply.
--
-- Keys: BODY RECORD STACKS META FINISHED LONG_FINISHED LARGE AWAITED NAMES
--
-- ARGV[1], ARGV[2]  what is kept: see `store/retention.ts`
-- ARGV[3]  packed: ids, which payloads (`include`, `omit`, or `none` to read nothing), and `collect` if results are collected
--
-- Returns the clock, and what `readRuns` returns, or false.
--
-- @use basics, ended, read-runs

local ids, mode, collect = unpack(cmsgpack.unpack(ARGV[3]))
if call('EXISTS', AWAITED) == 1 then expireAwaited() end
if mode == 'none' then
  local awaited = {}
  for index = 1, #ids do
    if call('ZSCORE', AWAITED, ids[index]) then awaited[#awaited + 1] = ids[index] end
  end
  keepUnawaited(awaited)
  writeCounts()
  return { now, false }
end
local read = readRuns(ids, nil, mode)
if collect == 'collect' then
  local awaited, seen = {}, {}
  for index = 1, read[1] do
    local id, record = ids[index], read[3][index]
    if record and isNotedRecord(record) and not seen[id] and call('ZSCORE', AWAITED, id) then awaited[#awaited + 1] = id end
    seen[id] = true
  end
  keepUnawaited(awaited)
end
writeCounts()
return { now, read }
