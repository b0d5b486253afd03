-- Says which leases are valid, and which of these have a cancel request.
--
-- Keys: BODY RECORD
--
-- ARGV[1]  packed, of each lease: the id, and the epoch as a record has it
--
-- Returns a letter for each lease, as a heartbeat does.
--
-- @use leases

local leases = cmsgpack.unpack(ARGV[1])
local ids, answers = {}, {}
for index = 1, #leases / 2 do
  ids[index] = leases[index * 2 - 1]
end
local kept = readAll(RECORD, ids)
for index = 1, #ids do
  local _, answer = leaseOf(ids[index], leases[index * 2], kept[index])
  answers[index] = answer
end
return table.concat(answers)
