-- Looks when lanes have work. As a rule all lanes are empty, nothing is scheduled and nothing on hold: a worker of a thousand tasks learns
-- that by three commands.
--
-- Keys: BODY SCHEDULED FRONT CANCELLED_IN_LANE HOLDS META
--
-- ARGV[1]  packed: the tags of the lanes
--
-- Returns the clock; the clock again if there is work now, else when the next is by time alone, or -1; and 1 if a lane has a hold.
--
-- @use basics, first-due

local tags = cmsgpack.unpack(ARGV[1])
if call('EXISTS', CANCELLED_IN_LANE, HOLDS) > 0 then
  -- @make nextOfHeld
  local next = nextOfHeld(tags)
  if next then return { now, next, 1 } end
end
for from = FIXED + 1, #KEYS, MAX_UNPACKED do
  if call('EXISTS', unpack(KEYS, from, math.min(from + MAX_UNPACKED - 1, #KEYS))) > 0 then return { now, now, 0 } end
end
local next = -1
if call('EXISTS', FRONT, SCHEDULED) == 0 then return { now, next, 0 } end
for index = 1, #tags do
  local from, to = '[' .. tags[index] .. '\0', '(' .. tags[index] .. '\1'
  if call('ZLEXCOUNT', FRONT, from, to) > 0 then return { now, now, 0 } end
  local due = firstDueOf(tags[index])
  if due and (next < 0 or due < next) then next = due end
end
return { now, next, 0 }
