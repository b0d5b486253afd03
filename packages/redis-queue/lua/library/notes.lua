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
