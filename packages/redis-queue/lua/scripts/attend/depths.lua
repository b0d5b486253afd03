-- Counts the runs that wait in each of some lanes. Where runs of a lane are behind turns while its list is empty, the turns were lost: they
-- are passed on.
--
-- Keys: BODY RECORD META SCHEDULED FRONT SLOTS_TAKEN CANCELLED_IN_LANE LANES TURNS BEHIND BEHIND_BY_LANE
--
-- ARGV[1], ARGV[2]  what is kept: see `store/retention.ts`
-- ARGV[3]  packed: the tags of the lanes
--
-- Returns a number for each lane.
--
-- @use ended, cancelled-in-lane, turns

local tags, depths, COUNTED = cmsgpack.unpack(ARGV[3]), {}, 10000
writeWithoutMemory()
for index = 1, #tags do
  local tag, key = tags[index], laneKey(index)
  -- Another program may use the key; the other lanes are counted all the same.
  local isLane = type(redis.pcall('LLEN', key)) == 'number'
  if isLane and call('HLEN', CANCELLED_IN_LANE) > 0 then removeCancelled(key, tag) end
  local ready = isLane and call('LLEN', key) - cancelledInLaneOf(tag) or 0
  local front = call('ZLEXCOUNT', FRONT, '[' .. tag .. '\0', '(' .. tag .. '\1')
  local due = call('ZLEXCOUNT', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\0' .. dueText(now + 1))
  local behind = call('ZLEXCOUNT', BEHIND, '[' .. tag .. '\0', '(' .. tag .. '\1')
  depths[index] = math.min(math.max(0, ready) + front + due + behind, COUNTED)
  if isLane and behind > 0 and ready <= 0 then
    checkRights()
    passLostTurns(tag)
  end
  -- A lane without runs is removed from the lanes.
  if
    depths[index] == 0
    and call('EXISTS', key) == 0
    and #call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, 1) == 0
  then
    call('SREM', LANES, tag)
  end
end
writeCounts()
return depths
