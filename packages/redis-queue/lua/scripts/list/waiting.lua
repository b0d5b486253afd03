-- Reads the next waiting runs of some lanes. In each lane come first those at its front, those that are parked, and those behind turns of
-- fairness keys, by their order, as a run keeps it that is sent from the second to the first; then the list, to which the last ones go.
--
-- A claim takes runs out of the list and parks them, behind all that are parked. While the last one that was read is still in the list,
-- they came from before it, and were read there. Otherwise they may not have been read, and are.
--
-- Keys: BODY RECORD FRONT CANCELLED_IN_LANE PARKED_BY_LANE BEHIND_BY_LANE
--
-- ARGV[1]  packed: the tags of the lanes, how many runs, the member of the front that was reached, the index and the anchors in the list
--
-- Returns for each lane members, the last member, from which index on the ids are, ids, which of these are left over, and epochs; and
-- where to search on, or -1.
--
-- @use places-in-lists, cancelled-in-lane

local tags, room, reached, at, anchors = unpack(cmsgpack.unpack(ARGV[1]))
at = tonumber(at)
local chunks = {}

local function seqOf(tag, member)
  return member and tonumber(fieldPast(tag, member, FrontEntry.laneSeq)) or math.huge
end

-- The first members of both, by their order.
local function merged(tag, one, other)
  if #other == 0 then return one end
  local members, i, j = {}, 1, 1
  while #members < room and (one[i] or other[j]) do
    if seqOf(tag, one[i]) <= seqOf(tag, other[j]) then
      members[#members + 1], i = one[i], i + 1
    else
      members[#members + 1], j = other[j], j + 1
    end
  end
  return members
end

local function besideList(tag, low)
  local high = '(' .. tag .. '\1'
  local front = call('ZRANGEBYLEX', FRONT, low, high, 'LIMIT', 0, room)
  local parked = call('ZRANGEBYLEX', PARKED_BY_LANE, low, high, 'LIMIT', 0, room)
  return merged(tag, merged(tag, front, parked), call('ZRANGEBYLEX', BEHIND_BY_LANE, low, high, 'LIMIT', 0, room))
end

local function lastMember(tag)
  local high, low, last = '(' .. tag .. '\1', '[' .. tag .. '\0', nil
  for _, key in ipairs({ FRONT, PARKED_BY_LANE, BEHIND_BY_LANE }) do
    local member = call('ZREVRANGEBYLEX', key, high, low, 'LIMIT', 0, 1)[1]
    if member and (not last or seqOf(tag, member) > seqOf(tag, last)) then last = member end
  end
  return last
end

-- Whether the id at this index was left by a run that was cancelled, while another run of the same id waits behind it.
local function isLeftOver(tag, key, id, index)
  if call('HEXISTS', CANCELLED_IN_LANE, tag .. '\0' .. id) == 0 or call('HEXISTS', BODY, id) == 0 then return false end
  local record = call('HGET', RECORD, id)
  if record and not isIn(record, State.submitted) then return false end
  local last = call('LPOS', key, id, 'RANK', -1, 'MAXLEN', 100000)
  return last and last > index
end

local function readList(tag, key, from)
  local ids, leftOver = call('LRANGE', key, from, from + room - 1), {}
  if #ids > 0 and call('HEXISTS', CANCELLED_IN_LANE, '\0' .. tag) == 1 then
    for index = 1, #ids do
      if isLeftOver(tag, key, ids[index], from + index - 1) then leftOver[#leftOver + 1] = index - 1 end
    end
  end
  return ids, leftOver
end

for lane = 1, #tags do
  local tag, key = tags[lane], laneKey(lane)
  local from, isUnread, low = 0, true, '[' .. tag .. '\0'
  if lane > 1 then reached = '' end
  if reached ~= '' then low = '(' .. reached end
  if lane == 1 and #anchors > 0 then
    local index, searchOn = locate(key, at, anchors, true)
    if not index then return { chunks, searchOn } end
    if index >= 0 then
      from, isUnread = index + 1, false
    end
  end
  local members = {}
  if isUnread then
    members = besideList(tag, low)
  else
    reached = lastMember(tag) or reached
  end
  if #members > 0 then reached = members[#members] end
  room = room - #members
  local ids, leftOver = {}, {}
  if room > 0 then
    ids, leftOver = readList(tag, key, from)
  end
  room = room - #ids
  chunks[lane] = { members, reached, from, ids, leftOver, epochsOf(ids) }
  if room <= 0 then break end
end
return { chunks, -1 }
