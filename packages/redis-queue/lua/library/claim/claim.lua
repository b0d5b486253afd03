-- What a claim rarely needs: runs at the front of lanes, cancelled ones in their lists, those that are due, and all that do not start for
-- the first time without a concurrency key and notes. What is claimed is written after the last lane was read: a script that stops before
-- has taken no run out of its lane. It may have passed turns of fairness keys on, by which more runs are in the lane.
--
-- @use basics, ended, slots, cancelled-in-lane, lanes, lane-limit, start-runs

-- What is to be taken out of the fronts of lanes, and to be quarantined.
local takenFront, unreadable = {}, {}
-- Runs that were started by a script that stopped before it wrote their leases.
local unleased = {}
-- How many runs that cannot start one claim passes over in a lane, so that a lane full of them does not block the server.
local MAX_PASSED = 2000
-- How many runs are read in one step.
local STEP = 2000

local function isLeased(id, record)
  return isIn(record, State.started) and call('ZSCORE', LEASES, id)
end

-- How many due runs a claim with a limit of them takes: that many, and as many more as it has room for beside what waits.
local function dueRoom(lane, room, dueLimit)
  local tag = tagOf(lane)
  local from, to = '[' .. tag .. '\0', '(' .. tag .. '\1'
  local waiting = call('LLEN', laneKey(lane)) - cancelledInLaneOf(tag) + call('ZLEXCOUNT', FRONT, from, to)
  if waiting > 0 and waiting < room then waiting = waiting + call('ZLEXCOUNT', BEHIND, from, to) end
  return math.min(math.max(dueLimit, room - waiting), room)
end

-- Runs that are due go to the back of their lane, by turn where they have fairness keys, or with a limit of them to its front, except those
-- that a script which stopped half-way has put there already.
local function promote(lane, room, dueLimit)
  local key, tag = laneKey(lane), tagOf(lane)
  local until_ = tag .. '\0' .. dueText(now + 1)
  local limit = dueLimit and dueRoom(lane, room, dueLimit) or math.max(room, 1000)
  local due = limit > 0 and call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. until_, 'LIMIT', 0, limit) or {}
  if #due == 0 then return end
  local ids, written, promoted, noted = {}, {}, {}, {}
  for index = 1, #due do
    ids[index] = restPast(tag, due[index], ScheduledEntry)
  end
  local records = readAll(RECORD, ids)
  for index = 1, #due do
    local id, record = ids[index], records[index]
    if record and isIn(record, State.scheduled) and isRecord(record) then
      record = rewrite(record, { state = State.submitted, submittedAt = NOW, laneSeq = NO_SEQ })
      if dueLimit then
        promoted[#promoted + 1] = { lane, id, record }
      else
        promoted[#promoted + 1] = id
        written[#written + 1] = id
        written[#written + 1] = record
        if isNotedRecord(record) then noted[id] = record end
      end
    elseif not record and call('HEXISTS', BODY, id) == 0 then
      -- A submit stopped before it wrote the run. It was not acknowledged, and may be submitted again.
    elseif not (record and isRecord(record) and (isIn(record, State.submitted) or isLeased(id, record))) then
      unreadable[#unreadable + 1] = { id, tag, 'its record' }
    end
  end
  if dueLimit then
    pushFront(promoted, { [lane] = tag }, written)
  else
    local pushes = { [lane] = promoted }
    if next(noted) then takeTurns(pushes, { [lane] = tag }, fairOf(noted), written) end
    pushBack(key, tag, pushes[lane])
  end
  many('HSET', RECORD, written)
  many('ZREM', SCHEDULED, due)
end

-- The next ids of a lane from the position at on: those at its front, with their orders and entries, then those of its list.
local function peek(key, tag, at, limit)
  if not at.isPastFront then
    local entries = call('ZRANGEBYLEX', FRONT, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', at.front, limit)
    if #entries > 0 then
      local ids, seqs = {}, {}
      for index = 1, #entries do
        seqs[index] = fieldPast(tag, entries[index], FrontEntry.laneSeq)
        ids[index] = restPast(tag, entries[index], FrontEntry)
      end
      return ids, seqs, entries
    end
    at.isPastFront = true
  end
  return call('LRANGE', key, at.list, at.list + limit - 1)
end

-- Marks the first ids that peek returned as used: entries of the front, or as many ids of the list.
local function take(at, entries, used)
  if not entries then
    at.list = at.list + used
    return
  end
  at.front = at.front + used
  for index = 1, used do
    takenFront[#takenFront + 1] = entries[index]
  end
end

-- Handles an id in a lane whose run is not waiting. Where its record has another state, the id is only dropped.
local function checkStray(tag, id, record)
  if not isRecord(record) or not find(State.scheduled .. State.started .. EndStates, fieldOf(record, Record.state), 1, true) then
    unreadable[#unreadable + 1] = { id, tag, 'its record' }
  elseif isIn(record, State.started) and not isLeased(id, record) then
    if startedLaneHashOf(record) == laneHashOf(tag) then
      unleased[#unleased + 1] = NOW
      unleased[#unleased + 1] = id
    else
      unreadable[#unreadable + 1] = { id, tag, 'its record' }
    end
  end
end

-- Starts the next runs of a lane. Of its list, those that were `read` already are its `ids`, `bodies` and `records`, and all before the
-- index `from` were started.
local function claimLane(lane, room, read)
  local found, foundBodies, records, from
  if read then
    found, foundBodies, records, from = read.ids, read.bodies, read.records, read.from
  end
  -- @include begin-to-take
  local key, tag, passed, seqs, entries = laneKey(lane), tagOf(lane), 0, nil, nil
  local laneLimit = laneLimits and laneLimits[lane]
  if laneLimit then unparkBelow(tag, laneLimit, room) end
  local at = { front = 0, list = 0, isPastFront = found ~= nil }
  local mayBeCancelled = call('EXISTS', CANCELLED_IN_LANE) == 1
  -- Entries of the front that this claim has seen: it may read that anew.
  local done = {}
  while true do
    local used, isPassedOn = found and from - 1 or 0, false
    for index = from or 1, found and #found or 0 do
      if bytes >= MAX_REPLY_BYTES or isPassedOn then break end
      used = index
      local id, body, record = found[index], foundBodies[index], records[index] or nil
      local isPlain = body and byte(body, Body.kind.from) == byte(Kind.none.plain)
      local hasTurn = not isPlain and not seqs and (not body or fairnessOf(body))
      local isCancelled = mayBeCancelled and not seqs and takeCancelled(tag, id)
      if entries and done[entries[index]] then -- nothing is left to do
      elseif isCancelled then
        passed = passed + 1
      elseif isPlain and not record and not laneLimit then
        start(tag, id, { body = body }, 0)
        room = room - 1
      elseif record and got.seen[id] then
        passed, areSlotsUnknown = passed + 1, areSlotsUnknown or seqs ~= nil
      elseif not isPlain and not isBody(body) then
        unreadable[#unreadable + 1] = { id, tag, 'its body' }
        hasTurn = not seqs
        passed, areSlotsUnknown = passed + 1, areSlotsUnknown or seqs ~= nil
      elseif record and (isNotIn(record, State.submitted) or not isRecord(record)) then
        checkStray(tag, id, record)
        -- It may have been returned to the front for a free slot, which another run of its key takes then.
        passed, areSlotsUnknown = passed + 1, areSlotsUnknown or seqs ~= nil
      else
        local entry = {
          body = laneLimit and bodyWithin(tag, id, body, laneLimit) or body,
          record = record,
          seq = seqs and seqs[index],
          laneLimit = laneLimit,
        }
        local isStarted, isLeft = startOrPark(tag, id, entry)
        if isStarted then
          room = room - 1
        else
          passed = passed + 1
        end
        isPassedOn = isLeft and entries ~= nil
      end
      -- This claim may take the one that has the turn then.
      if hasTurn and not isCancelled then leaveList(tag, id, body) end
      if record and not isCancelled then got.seen[id] = true end
      if entries then done[entries[index]] = true end
    end
    take(at, entries, used)
    -- What is returned may come before what was read.
    if isPassedOn then
      unparkNext(tag)
      if laneLimit then unparkBelow(tag, laneLimit, 1) end
      at.front, at.isPastFront = 0, false
    end
    if room <= 0 or passed >= MAX_PASSED or bytes >= MAX_REPLY_BYTES then break end
    found, seqs, entries = peek(key, tag, at, math.min(room, STEP))
    if #found == 0 then break end
    from, foundBodies, records = 1, readAll(BODY, found), readAll(RECORD, found)
  end
  if at.list > 0 then trims[#trims + 1] = { key, at.list } end
end

-- After the leases of started runs were written, and before they leave their lanes.
local function writeOthers()
  many('ZADD', LEASES, unleased)
  for index = 1, #toPark do
    park(unpack(toPark[index]))
  end
  for index = 1, #turns do
    unparkNext(turns[index])
  end
  for index = 1, #unreadable do
    local id = unreadable[index][1]
    -- It may have kept a slot.
    if call('HDEL', SLOTS_TAKEN, '\0' .. id) == 1 then areSlotsUnknown = true end
    quarantine(unpack(unreadable[index]))
  end
end

local function writeLast()
  many('ZREM', FRONT, takenFront)
  writeSlots()
  writeCounts()
end
