-- Reads runs without payloads, as many as fit into a reply.
--
-- Keys: BODY RECORD STACKS META LARGE AWAITED FINISHED LONG_FINISHED NAMES
--
-- ARGV[1], ARGV[2]  what is kept: see `store/retention.ts`
-- ARGV[3]  packed: ids
--
-- Returns the clock, what `readRuns` returns, and what the script of changes recognises each run by.
--
-- @use read-runs, waiting

local ids = cmsgpack.unpack(ARGV[3])
if call('EXISTS', AWAITED) == 1 then
  -- @make expire
  expire()
end
local read, seen = readRuns(ids, nil, 'omit'), {}
for index = 1, read[1] do
  local body, record = read[2][index], read[3][index] or nil
  seen[index] = body and seenOf(ids[index], body, record)
end
writeCounts()
return { now, read, seen }
