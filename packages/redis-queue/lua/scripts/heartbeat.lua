-- Extends leases, and records the heartbeats.
--
-- Keys: BODY RECORD LEASES SLOTS_TAKEN
--
-- ARGV[1]  for how long, in ms
-- ARGV[2]  packed, of each lease: the id, and the epoch as a record has it
--
-- Returns a letter for each lease.
--
-- @use leases

-- The record with its latest heartbeat now, unless it has a later one.
local function withHeartbeat(record)
  local at = isShort(record) and FirstStart.heartbeatAt.from or Record.heartbeatAt.from
  local last = sub(record, at, at + #NOW - 1)
  return sub(record, 1, at - 1) .. (last > NOW and last or NOW) .. sub(record, at + #NOW)
end

local leaseUntil = instantOf(now + tonumber(ARGV[1]))
writeWithoutMemory()
local heartbeats = cmsgpack.unpack(ARGV[2])
local ids, answers, writes, leases = {}, {}, {}, {}
for index = 1, #heartbeats / 2 do
  ids[index] = heartbeats[index * 2 - 1]
end
local kept = readAll(RECORD, ids)
for index = 1, #ids do
  local isValid, answer = leaseOf(ids[index], heartbeats[index * 2], kept[index])
  answers[index] = answer
  if isValid then
    writes[#writes + 1] = ids[index]
    writes[#writes + 1] = withHeartbeat(kept[index])
    leases[#leases + 1] = string.format('%.0f', leaseUntil)
    leases[#leases + 1] = ids[index]
  end
end
many('HSET', RECORD, writes)
-- A lease never shrinks.
for from = 1, #leases, MAX_UNPACKED do
  call('ZADD', LEASES, 'GT', unpack(leases, from, math.min(from + MAX_UNPACKED - 1, #leases)))
end
return table.concat(answers)
