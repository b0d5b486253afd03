-- @use basics

-- When the first scheduled run of a lane is due; nil without any.
local function firstDueOf(tag)
  local first = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, 1)[1]
  return first and tonumber(fieldPast(tag, first, ScheduledEntry.runAt)) or nil
end
