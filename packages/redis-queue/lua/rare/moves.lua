-- The ends of changes that few calls need.
--
-- @use waiting

-- Puts runs where they wait again.
local function waitAgain(tags)
  for lane, push in pairs(waitingPushes) do
    if call('EXISTS', CANCELLED_IN_LANE) == 1 then removeCancelled(laneKey(lane), tags[lane]) end
    pushBack(laneKey(lane), tags[lane], push)
  end
  putOnSchedule(waitingSchedules, tags, waitingRecords)
  many('HSET', RECORD, waitingRecords)
end

-- Takes runs that had ended out of where they are: before retention looks at those that end now.
local function leaveEnded()
  for index = 1, #hadEnded do
    takeFromEnded(unpack(hadEnded[index]))
  end
end
