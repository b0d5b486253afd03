-- Moves runs that no worker holds, which wait or have ended. What follows from the difference of two records is derived here: where the
-- run is, its slot and its error group.
--
-- @use basics, slots, ended, cancelled-in-lane, lanes, turns

-- A run that waits for its first claim has no record.
local function stateOf(record)
  return record and fieldOf(record, Record.state) or State.submitted
end

local function leaveLane(id, body, record)
  local lane = laneOf(body)
  if isListed(record) then
    changeCancelled(lane .. '\0' .. id, 1)
    return countCancelledInLane(lane, 1)
  end
  local seq = fieldOf(record, Record.laneSeq)
  local wasFront = call('ZREM', FRONT, lane .. '\0' .. seq .. id) == 1
  local fairness = not wasFront and fairnessOf(body)
  if fairness and leaveBehind(lane, fairness, seq .. id) then return end
  local whenFull, limit, key = concurrencyOf(body)
  if not whenFull then return end
  if wasFront then
    unparkNext(key)
    if key ~= lane then unparkNext(lane) end
  else
    leaveParked(lane, key, limit, seq .. id)
    call('ZREM', PARKED_BY_LANE, lane .. '\0' .. seq .. id)
  end
end

-- Takes a run out of where it waited with this record.
local function leave(id, body, record)
  if record and isIn(record, State.scheduled) then
    call('ZREM', SCHEDULED, memberOfSchedule(laneOf(body), record, id))
  else
    leaveLane(id, body, record)
  end
end

local function withFlag(record, flag, isSet)
  local flags = flagsOf(record)
  if (flags % (2 * flag) >= flag) == isSet then return record end
  return withFlags(record, isSet and flags + flag or flags - flag)
end

local function withCancelRequest(record)
  return withFlag(record, Flag.cancelRequested, true)
end

-- Whether retention has deleted the payload, as it does of finished runs only.
local function isTrimmed(id, body, record)
  if not record or not hasLargePayload(body) or isDeadLetter(record) then return false end
  return find(EndStates, stateOf(record), 1, true) and call('HEXISTS', LARGE, ApartText.payload .. id) == 0
end

-- What runs are recognised by that were read: it changes with each record, and when the payload is deleted. A run without a record has
-- been submitted, and no more: one that is submitted again, once that was forgotten, has another time.
local function seenOf(id, body, record)
  local seen = record and sub(redis.sha1hex(record), 1, 16) or fieldOf(body, Body.createdAt)
  return isTrimmed(id, body, record) and seen .. Mark.trimmed or seen
end

local wasWaiting, hadEnded, endedRecords, waitingPushes, waitingSchedules, waitingRecords = {}, {}, {}, {}, {}, {}

-- Puts runs where they wait again.
local function waitAgain()
  local tags = {}
  for lane = 1, #KEYS - FIXED do
    tags[lane] = tagOf(lane)
  end
  for lane, push in pairs(waitingPushes) do
    if call('EXISTS', CANCELLED_IN_LANE) == 1 then removeCancelled(laneKey(lane), tags[lane]) end
    pushBack(laneKey(lane), tags[lane], push)
  end
  putOnSchedule(waitingSchedules, tags, waitingRecords)
  many('HSET', RECORD, waitingRecords)
  waitingPushes, waitingSchedules, waitingRecords = {}, {}, {}
end

-- Makes of a run that no worker holds what its new record says: `old` and `new` are its records; the number of its `lane` is needed where
-- it waits again. Turns pass on in the order of the moves, so that what was moved before a run with a fairness key is written first, and a
-- turn may have moved the run itself.
local function moveRun(run)
  local id, body, old, new, lane = run.id, run.body, run.old, run.new, run.lane
  local isWaiting, fairness = isIn(new, State.submitted) or isIn(new, State.scheduled), fairnessOf(body)
  if fairness then
    waitAgain()
    old = call('HGET', RECORD, id) or nil
  end
  if find(EndStates, stateOf(old), 1, true) then
    hadEnded[#hadEnded + 1] = { id, old, laneOf(body) }
  else
    wasWaiting[#wasWaiting + 1] = { id, body, old }
    if fairness and isListed(old) then leaveTurn(laneOf(body), fairness, id) end
  end
  new = withFlag(new, Flag.noted, isNoted(body))
  new = withFlag(new, Flag.takesSlot, isWaiting and takesSlot(old))
  if not isWaiting then
    freeKeptSlot(id, old)
    endedRecords[#endedRecords + 1] = id
    endedRecords[#endedRecords + 1] = endRun(id, new, body)
    -- No turn is passed on to a run that has ended.
    if fairness then call('HSET', RECORD, unpack(endedRecords, #endedRecords - 1)) end
    return
  end
  if isIn(new, State.scheduled) then
    waitingSchedules[#waitingSchedules + 1] = { lane, id, new }
  else
    local order = fairness and takeTurn(laneOf(body), fairness, id)
    waitingPushes[lane] = waitingPushes[lane] or {}
    if order then
      new = rewrite(new, { laneSeq = order })
    else
      waitingPushes[lane][#waitingPushes[lane] + 1] = id
    end
    waitingRecords[#waitingRecords + 1] = id
    waitingRecords[#waitingRecords + 1] = new
  end
end

-- Writes the moves of runs that do not wait again, the last part of what is written. A script that stops half-way loses no run: it is in
-- its new location, then it has its record, then it leaves the old location.
local function writeMoves()
  many('HSET', RECORD, endedRecords)
  writeEnded()
  for index = 1, #wasWaiting do
    leave(unpack(wasWaiting[index], 1, 3))
  end
  writeGroups()
  writeSlots()
end
