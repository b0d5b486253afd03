-- Turns of fairness keys. Of each lane and key, at most one run that came to the back of the lane is in the list of the lane: it has the turn.
-- The others are behind it, in the order in which they came.
--
-- - TURNS, a hash: for each lane and key, with a zero character between them, the id of the run that has the turn.
-- - BEHIND, a sorted set by lane, key and order: the runs behind. Each has a record, with its order there. BEHIND_BY_LANE has them by lane
--   and order, for lists.
--
-- Invariant: where runs are behind, the one that has the turn is in the list. So whatever takes a run out of the list puts the next one
-- there first. Runs at the front of a lane, and parked ones, have no turn.
--
-- Where a script stopped half-way, a turn may be that of a run that is not in the list, or a run behind may be in the list, too. The
-- next run of the key that comes or leaves finds the first, and gives the turn to the first one behind; the second is passed over, once it has
-- started.
--
-- @use basics, lanes

local function listOf(tag)
  return sub(BODY, 1, -5) .. 'lane:' .. tag
end

local function turnOf(tag, fairness)
  return tag .. '\0' .. fairness
end

local function putBehind(tag, fairness, place)
  call('ZADD', BEHIND, 0, turnOf(tag, fairness) .. '\0' .. place)
  call('ZADD', BEHIND_BY_LANE, 0, tag .. '\0' .. place)
end

-- Returns whether the run was behind.
local function leaveBehind(tag, fairness, place)
  call('ZREM', BEHIND_BY_LANE, tag .. '\0' .. place)
  return call('ZREM', BEHIND, turnOf(tag, fairness) .. '\0' .. place) == 1
end

-- Whether a run that waits with this record is in the list of its lane: one whose record has an order is at the front of the lane, parked, or
-- behind.
local function isListed(record)
  return not record or (isIn(record, State.submitted) and fieldOf(record, Record.laneSeq) == NO_SEQ)
end

-- Whether a run is in the list of this lane, as far as its body and record say.
local function isInList(tag, fairness, id)
  local body, record = call('HGET', BODY, id), call('HGET', RECORD, id)
  if not isBody(body) or laneOf(body) ~= tag or fairnessOf(body) ~= fairness then return false end
  return isListed(record)
end

-- Whether the run of this entry is behind; one that cannot be read is, so that a claim makes a dead letter of it.
local function isBehind(turn, entry, id, record)
  if not record or not isRecord(record) then return call('HEXISTS', BODY, id) == 1 end
  return isIn(record, State.submitted) and fieldOf(record, Record.laneSeq) == fieldPast(turn, entry, FrontEntry.laneSeq)
end

-- The runs that have turns, as far as this script has looked.
local holders = {}

-- Gives the turn to the first run behind, which goes to the back of the lane. Returns its id; nil where there is none. The order of
-- writes: the list, the record, the turn, and last where it was.
local function passTurn(tag, fairness)
  local turn = turnOf(tag, fairness)
  while true do
    local entry = call('ZRANGEBYLEX', BEHIND, '[' .. turn .. '\0', '(' .. turn .. '\1', 'LIMIT', 0, 1)[1]
    if not entry then
      call('HDEL', TURNS, turn)
      holders[turn] = nil
      return nil
    end
    local id = restPast(turn, entry, FrontEntry)
    local record = call('HGET', RECORD, id)
    local isNext = isBehind(turn, entry, id, record)
    if isNext then
      pushBack(listOf(tag), tag, { id })
      if record and isRecord(record) then call('HSET', RECORD, id, rewrite(record, { laneSeq = NO_SEQ })) end
      call('HSET', TURNS, turn, id)
      holders[turn] = id
    end
    leaveBehind(tag, fairness, sub(entry, #turn + 2))
    if isNext then return id end
  end
end

-- Passes the turn on, if the run has it that leaves the list, or nobody in the list has it.
local function leaveTurn(tag, fairness, id)
  local holder = call('HGET', TURNS, turnOf(tag, fairness))
  if holder == id or not holder or not isInList(tag, fairness, holder) then passTurn(tag, fairness) end
end

-- Gives a run the turn, if no other has it; otherwise puts it behind, and returns its order there.
local function takeTurn(tag, fairness, id)
  local turn = turnOf(tag, fairness)
  if not holders[turn] then
    local holder = call('HGET', TURNS, turn)
    holders[turn] = holder and isInList(tag, fairness, holder) and holder or passTurn(tag, fairness)
  end
  if not holders[turn] then
    call('HSET', TURNS, turn, id)
    holders[turn] = id
    return nil
  end
  local order = seqText(call('HINCRBY', META, 'laneSeq', 1))
  putBehind(tag, fairness, order .. id)
  return order
end

-- Passes all turns of a lane on that no run in its list has: none, where the list is empty.
local function passLostTurns(tag)
  local pass = call('EXISTS', listOf(tag)) == 0 and passTurn or leaveTurn
  local from = '[' .. tag .. '\0'
  while true do
    local entry = call('ZRANGEBYLEX', BEHIND, from, '(' .. tag .. '\1', 'LIMIT', 0, 1)[1]
    if not entry then return end
    local fairness = sub(entry, #tag + 2, zeroAfter(entry, #tag + 2) - 1)
    pass(tag, fairness)
    from = '(' .. turnOf(tag, fairness) .. '\1'
  end
end
