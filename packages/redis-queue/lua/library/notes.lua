-- Notes: the hash NOTES, for holds HOLDS, has by key the version, when the note was written, when it expires (0: never), after how long it
-- probes (0: never) and its value, with a space between them. The keys are also members of two sorted sets: of NOTE_KEYS, which is in the
-- order of their bytes, and of NOTE_ENDS with the instant at which the note is gone.
--
-- @use basics

-- 0 when there is no note.
local function versionOf(text)
  local version, ends, probeMs = string.match(text or '', '^(%d+) %d+ (%d+) (%d+) ')
  ends = tonumber(ends)
  if not ends or (ends > 0 and ends <= now and tonumber(probeMs) == 0) then return 0 end
  return tonumber(version)
end
local function isHold(key)
  return sub(key, 1, #Hold.prefix) == Hold.prefix
end
local function hashOf(key)
  return isHold(key) and HOLDS or NOTES
end

local function forgetNote(key)
  call('ZREM', NOTE_KEYS, key)
  call('ZREM', NOTE_ENDS, key)
  return call('HDEL', hashOf(key), key) > 0
end

-- The indexes, from 0, of the writes whose notes are not what was seen.
local function changedNotes(writes)
  local changed = {}
  for index = 1, #writes do
    local key, seen = unpack(writes[index])
    if seen >= 0 and versionOf(call('HGET', hashOf(key), key)) ~= seen then changed[#changed + 1] = index - 1 end
  end
  return changed
end

-- Writes notes, whatever they are, and forgets some that have expired. Returns their versions, and whether one is a hold that changed.
local function putNotes(writes)
  local isHeld, versions, latest = false, {}, call('HINCRBY', META, 'noteVersion', #writes) - #writes
  for index = 1, #writes do
    local key, _, value, ttlMs, expiresAt, probeMs = unpack(writes[index])
    local isChanged = forgetNote(key)
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
  for _, key in ipairs(call('ZRANGEBYSCORE', NOTE_ENDS, '-inf', now, 'LIMIT', 0, 2 * #writes)) do
    forgetNote(key)
  end
  return versions, isHeld
end
