-- @use holds

-- What a claim does about holds; made only where one of its lanes has a hold. Its functions are called for each lane before and after
-- runs are taken, then to write, and at last for when the lanes have work next.
local function heldClaim()
  local tags, start, isProbing, probes = {}, 0, false, {}
  for lane = 1, lanesCount do
    tags[lane] = tagOf(lane)
  end
  local passages, ended = passagesOf(tags)
  if not next(passages) and #ended == 0 then return nil end
  local function isClosed(passage)
    return passage and passage.untilAt > now
  end
  for _, passage in pairs(passages) do
    isProbing = isProbing or not isClosed(passage)
  end
  if isProbing or #ended > 0 then checkRights() end

  -- How many runs may be taken, and whether the lane is to be left alone.
  local function roomOf(lane, room)
    local passage = passages[lane]
    start = taken
    if isClosed(passage) then return 0, true end
    return passage and next(passage.probes) and math.min(room, 1) or room, false
  end

  local function note(lane)
    local passage = passages[lane]
    if taken == start or not passage or not next(passage.probes) then return end
    got = got or { overLimit = {}, restarted = {}, records = {}, epochs = {}, seen = {} }
    got.probes = got.probes or {}
    got.probes[#got.probes + 1] = taken
    noteProbe(passage, probes)
  end

  local function write()
    if isProbing or #ended > 0 then writeWithoutMemory() end
    many('HDEL', HOLDS, ended)
    many('ZREM', NOTE_KEYS, ended)
    many('ZREM', NOTE_ENDS, ended)
    many('HSET', HOLDS, probes)
  end

  -- After the runs that were taken have left their lanes.
  local function nextWorkAt()
    local earliest = math.huge
    for lane = 1, lanesCount do
      local at, passage = dues[lane], passages[lane]
      if isClosed(passage) then at = workAfterHold(laneKey(lane), tags[lane], passage.untilAt, at) end
      earliest = math.min(earliest, at)
    end
    return earliest < math.huge and earliest or -1
  end
  return { roomOf = roomOf, note = note, write = write, nextWorkAt = nextWorkAt }
end
