-- Writes notes, if all of them are what was seen. Forgets notes that have expired, two at most for each that it writes.
--
-- Keys: BODY META SLOTS_TAKEN HOLDS NOTES NOTE_KEYS NOTE_ENDS
--
-- ARGV[1]  packed, of each note: key, the version that was seen (negative: any), value (empty: none), time to live in ms, when it
--          expires, and after how long it probes
--
-- Returns the clock, `written` and the new versions, or `changed` and the indexes of those that are not what was seen.
--
-- @use notes

local function forget(key)
  call('ZREM', NOTE_KEYS, key)
  call('ZREM', NOTE_ENDS, key)
  return call('HDEL', hashOf(key), key) > 0
end
local writes, changed, versions = cmsgpack.unpack(ARGV[1]), {}, {}
for index = 1, #writes do
  local key, seen = unpack(writes[index])
  if seen >= 0 and versionOf(call('HGET', hashOf(key), key)) ~= seen then changed[#changed + 1] = index - 1 end
end
if #changed > 0 then return { now, 'changed', changed } end
checkRights()
writeWithoutMemory()
local isHeld, latest = false, call('HINCRBY', META, 'noteVersion', #writes) - #writes
for index = 1, #writes do
  local key, _, value, ttlMs, expiresAt, probeMs = unpack(writes[index])
  local isChanged = forget(key)
  versions[index] = 0
  if value ~= '' then
    local ends = math.max(expiresAt, ttlMs > 0 and instantOf(now + ttlMs) or 0)
    isChanged, versions[index] = true, latest + index
    call('HSET', hashOf(key), key, string.format('%.0f %.0f %.0f %.0f ', versions[index], now, ends, probeMs) .. value)
    call('ZADD', NOTE_KEYS, 0, key)
    if ends > 0 and probeMs == 0 then call('ZADD', NOTE_ENDS, ends, key) end
  end
  isHeld = isHeld or isChanged and isHold(key)
end
if isHeld then call('PUBLISH', HOLDS_CHANGED, '') end
for _, key in ipairs(call('ZRANGEBYSCORE', NOTE_ENDS, '-inf', now, 'LIMIT', 0, 2 * #writes)) do
  forget(key)
end
return { now, 'written', versions }
