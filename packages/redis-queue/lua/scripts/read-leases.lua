-- Says which leases are valid, and which of these have a cancel request.
--
-- Keys: BODY RECORD
--
-- ARGV[1]  packed, of each lease: the id, and the epoch as a record has it
--
-- Returns a letter for each lease, as a heartbeat does.
--
-- @use basics

local leases = cmsgpack.unpack(ARGV[1])
local ids, answers = {}, {}
for index = 1, #leases / 2 do
  ids[index] = leases[index * 2 - 1]
end
local kept = readAll(RECORD, ids)
for index = 1, #ids do
  local id, record = ids[index], kept[index]
  if not record then
    answers[index] = call('HEXISTS', BODY, id) == 1 and Answer.heartbeat.fenced or Answer.heartbeat.gone
  elseif isNotIn(record, State.started) or epochOf(record) ~= leases[index * 2] then
    answers[index] = Answer.heartbeat.fenced
  else
    answers[index] = has(flagsOf(record), Flag.cancelRequested) and Answer.heartbeat.cancel or Answer.heartbeat.ok
  end
end
return table.concat(answers)
