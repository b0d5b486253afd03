-- Counts what waits in each of some lanes. Every figure is that of an index, so that a call costs the same however many runs there are.
--
-- Keys: BODY RECORD SCHEDULED FRONT CANCELLED_IN_LANE PARKED_BY_LANE BEHIND
--
-- ARGV[1]  packed: the tags of the lanes
--
-- Returns the clock, and for each lane the figures of `LaneFigures`.
--
-- @use basics, cancelled-in-lane

-- How many ids at the head of a lane are looked at: those of cancelled runs are passed by.
local MAX_LOOK = 1000
local tags, figures = cmsgpack.unpack(ARGV[1]), {}

local function dueOf(id)
  local body, record = call('HGET', BODY, id), call('HGET', RECORD, id)
  if record and not isShort(record) and isRecord(record) then return tonumber(fieldOf(record, Record.runAt)) end
  return body and tonumber(fieldOf(body, Body.createdAt)) or nil
end

-- The id that a claim would take first. Where several ids of a run are in the list, the last one is its own.
local function firstIdOf(tag, key, leftOver)
  local front = call('ZRANGEBYLEX', FRONT, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, 1)[1]
  if front then return restPast(tag, front, FrontEntry) end
  if leftOver == 0 then return call('LINDEX', key, 0) end
  local seen = {}
  for _, id in ipairs(call('LRANGE', key, 0, math.min(leftOver, MAX_LOOK))) do
    local left = seen[id] or countOf(call('HGET', CANCELLED_IN_LANE, tag .. '\0' .. id))
    if left == 0 then return id end
    seen[id] = left - 1
  end
end

for index = 1, #tags do
  local tag, key = tags[index], laneKey(index)
  local from, to = '[' .. tag .. '\0', '(' .. tag .. '\1'
  -- Another program may use the key; the other lanes are counted all the same.
  local length = redis.pcall('LLEN', key)
  local isLane = type(length) == 'number'
  local leftOver = isLane and cancelledInLaneOf(tag) or 0
  local ready = isLane and math.max(0, length - leftOver) or 0
  local parked = call('ZLEXCOUNT', PARKED_BY_LANE, from, to)
  local front = call('ZLEXCOUNT', FRONT, from, to)
  local behind = call('ZLEXCOUNT', BEHIND, from, to)
  local waiting = ready + front + parked + behind
  local scheduled = call('ZLEXCOUNT', SCHEDULED, from, to)
  local due = call('ZLEXCOUNT', SCHEDULED, from, '(' .. tag .. '\0' .. dueText(now + 1))
  local id = ready + front > 0 and firstIdOf(tag, key, leftOver) or nil
  local claimableSince = id and dueOf(id) or -1
  if due > 0 then
    local first = call('ZRANGEBYLEX', SCHEDULED, from, to, 'LIMIT', 0, 1)[1]
    local runAt = tonumber(fieldPast(tag, first, ScheduledEntry.runAt))
    if runAt and (claimableSince < 0 or runAt < claimableSince) then claimableSince = runAt end
  end
  figures[index] =
    { inOrder(LaneFigures, { waiting = waiting, parked = parked, scheduled = scheduled, due = due, claimableSince = claimableSince }) }
end
return { now, figures }
