-- Counts started runs. Leases have no index by lane, but the records of started runs have a hash of theirs.
--
-- Keys: BODY RECORD LEASES
--
-- Returns whether all were counted, and hashes and counts, in turn.
--
-- @use basics

local MAX_LOOK = 5000
local ids, byHash, flat = call('ZRANGEBYSCORE', LEASES, '-inf', '(+inf', 'LIMIT', 0, MAX_LOOK), {}, {}
for _, record in ipairs(readAll(RECORD, ids)) do
  if record and not isNotIn(record, State.started) and isRecord(record) then
    local hash = startedLaneHashOf(record)
    byHash[hash] = (byHash[hash] or 0) + 1
  end
end
for hash, count in pairs(byHash) do
  flat[#flat + 1] = hash
  flat[#flat + 1] = count
end
return { #ids < MAX_LOOK and 1 or 0, flat }
