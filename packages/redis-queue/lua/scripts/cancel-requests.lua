-- Finds the leases that have a cancel request.
--
-- Keys: BODY RECORD
--
-- ARGV[1]  packed, of each lease: the id, and the epoch as a record has it
--
-- Returns a letter for each lease.
--
-- @use basics

local leases = cmsgpack.unpack(ARGV[1])
local ids, answers = {}, {}
for index = 1, #leases / 2 do
  ids[index] = leases[index * 2 - 1]
end
local kept = readAll(RECORD, ids)
for index = 1, #ids do
  local record = kept[index]
  local isCurrent = record and isIn(record, State.started) and epochOf(record) == leases[index * 2]
  answers[index] = isCurrent and has(flagsOf(record), Flag.cancelRequested) and Answer.cancelRequest.requested or Answer.cancelRequest.none
end
return table.concat(answers)
