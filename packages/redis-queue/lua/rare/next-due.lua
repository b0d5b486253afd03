-- @use basics

-- When the next scheduled run of a lane is due.
local function nextDueOf(lane)
  local tag = tagOf(lane)
  local first = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, 1)[1]
  return first and tonumber(fieldPast(tag, first, ScheduledEntry.runAt)) or math.huge
end
