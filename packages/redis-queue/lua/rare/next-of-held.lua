-- @use holds, first-due

-- When one of the lanes has work next, or -1; nil if none of them is on hold. A lane with nothing but ids of runs that have left it becomes
-- empty: the next run that comes wakes.
local function nextOfHeld(tags)
  for index = 1, #tags do
    removeCancelled(laneKey(index), tags[index])
  end
  writeCounts()
  local passages = passagesOf(tags)
  if not next(passages) then return nil end
  local earliest = math.huge
  for index = 1, #tags do
    local key, tag, passage = laneKey(index), tags[index], passages[index]
    local due = firstDueOf(tag) or math.huge
    if passage and passage.untilAt > now then
      due = workAfterHold(key, tag, passage.untilAt, due)
    elseif hasReady(key, tag) then
      due = now
    end
    earliest = math.min(earliest, due)
  end
  return earliest < math.huge and earliest or -1
end
