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

local writes = cmsgpack.unpack(ARGV[1])
local changed = changedNotes(writes)
if #changed > 0 then return { now, 'changed', changed } end
checkRights()
writeWithoutMemory()
local versions, isHeld = putNotes(writes)
if isHeld then call('PUBLISH', HOLDS_CHANGED, '') end
return { now, 'written', versions }
