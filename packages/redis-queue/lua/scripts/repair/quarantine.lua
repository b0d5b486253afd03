-- Makes dead letters of started runs that could not be read.
--
-- Keys: BODY RECORD STACKS META LEASES FRONT PARKED SLOTS_TAKEN DEAD GROUPS GROUPED LANES PARKED_BY_LANE
--
-- ARGV[1], ARGV[2]  what is kept: see `store/retention.ts`
-- ARGV[3]  packed: ids
-- ARGV[4]  what cannot be read
--
-- Returns how many ids it got.
--
-- @use ended, slots

local ids, why = cmsgpack.unpack(ARGV[3]), ARGV[4]
writeWithoutMemory()
for index = 1, #ids do
  local id = ids[index]
  local body = call('HGET', BODY, id)
  if call('ZREM', LEASES, id) == 1 then
    areSlotsUnknown = true
    quarantine(id, body and laneOf(body) or '', why)
  end
end
writeSlots()
writeCounts()
return #ids
