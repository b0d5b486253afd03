-- Starts runs in every way but the usual one, or parks them.
--
-- @use basics, slots

local epochs = {}
-- What is to be parked, and the keys of which a run had the turn that has not taken it.
local toPark, turns = {}, {}

local function epochAfter(text)
  local next = epochs[text]
  if not next then
    next = string.format(Record.epoch.format, tonumber(text) + 1)
    epochs[text] = next
  end
  return next
end

-- The records of first starts by lane and flags. Runs share one text, because Lua hashes every new one.
local startTexts = {}
local function firstStart(tag, bits)
  if not startTexts[tag] then startTexts[tag] = {} end
  local record = startTexts[tag][bits]
  if not record then
    record = write(
      FirstStart,
      { state = State.started, flags = flagText(Flag.short + bits), startedAt = NOW, heartbeatAt = NOW, laneHash = laneHashOf(tag) }
    )
    startTexts[tag][bits] = record
  end
  return record
end

-- The record of a run that starts again, as core's transition makes it.
local function startedAgain(tag, record, bits)
  local flags = flagsOf(record)
  local first = fieldOf(record, Record.firstStartedAt)
  if first == NEVER then first = NOW end
  return rewrite(record, {
    state = State.started,
    flags = flagText(flags - flags % (2 * Flag.takesSlot) + bits),
    epoch = epochAfter(fieldOf(record, Record.epoch)),
    firstStartedAt = first,
    startedAt = NOW,
    heartbeatAt = NOW,
    laneSeq = laneHashOf(tag),
  })
end

local function start(tag, id, entry, bits)
  local body, record = entry.body, entry.record
  taken = taken + 1
  -- Of a first start only the body is answered: its record follows from that and the instant.
  local new
  if record then
    new = startedAgain(tag, record, bits)
    local next = #got.restarted + 1
    got.restarted[next], got.records[next], got.epochs[next] = taken, new, epochOf(new)
    bytes = bytes + #new
    if hasStack(record) then
      got.hasStacks = true
      bytes = bytes + call('HSTRLEN', STACKS, id)
    end
  else
    new = firstStart(tag, isNoted(body) and bits + Flag.noted or bits)
  end
  -- The caller reads it by a command of its own.
  if hasLargePayload(body) then bytes = bytes + call('HSTRLEN', LARGE, ApartText.payload .. id) end
  ids[taken], bodies[taken] = id, body
  writes[#writes + 1] = id
  writes[#writes + 1] = new
  leases[#leases + 1] = leaseText
  leases[#leases + 1] = id
  bytes = bytes + #body
end

local function park(tag, id, entry)
  local seq = entry.seq or seqText(call('HINCRBY', META, 'laneSeq', 1))
  local record = entry.record
  if record then
    record = rewrite(record, { laneSeq = seq })
  else
    local createdAt = fieldOf(entry.body, Body.createdAt)
    record = firstRecord({
      state = State.submitted,
      flags = freshFlags(entry.body),
      submittedAt = createdAt,
      runAt = lateInstant(createdAt),
      laneSeq = seq,
    })
  end
  call('HSET', RECORD, id, record)
  call('ZADD', PARKED, 0, entry.parkKey .. '\0' .. tag .. '\0' .. entry.parkLimit .. '\0' .. seq .. id)
  call('ZADD', PARKED_BY_LANE, 0, tag .. '\0' .. seq .. id)
end

local function isClaimed(whenFull)
  return whenFull == Kind.claim.plain or whenFull == Kind.claimKept.plain
end

-- What keeps a run from its slots: whenFull, limit and key of what is full, its own key or its lane; nil where neither is. One for which
-- runs wait comes before one over which they are claimed.
local function fullOf(tag, entry, whenFull, limit, key)
  local isKeyFull = not takesSlot(entry.record) and slotsTakenOf(key) >= tonumber(limit)
  local ofLane = key ~= tag and entry.laneLimit
  local isLaneFull = ofLane and slotsTakenOf(tag) >= tonumber(sub(ofLane, 2))
  if isLaneFull and not (isKeyFull and (not isClaimed(whenFull) or isClaimed(sub(ofLane, 1, 1)))) then
    return sub(ofLane, 1, 1), sub(ofLane, 2), tag
  end
  if isKeyFull then return whenFull, limit, key end
end

-- Starts a run, or parks it where its key or its lane is full and it is to wait. Returns whether it was started, and whether its key is
-- full, so that it leaves the turn of its lane, if it had that, to the next one.
local function startOrPark(tag, id, entry)
  local whenFull, limit, key = concurrencyOf(entry.body)
  if not whenFull then
    start(tag, id, entry, 0)
    return true
  end
  local isKeeper, whenOf, limitOf, full = takesSlot(entry.record), fullOf(tag, entry, whenFull, limit, key)
  if full and not isClaimed(whenOf) then
    entry.parkKey, entry.parkLimit = full, limitOf
    toPark[#toPark + 1] = { tag, id, entry }
    return false, key ~= tag and full == key
  end
  if isKeeper then
    keepers[id] = false
  elseif not full then
    changeSlots(key, 1)
  end
  if entry.laneLimit and key ~= tag and not full then
    laneTakers[id] = true
    changeSlots(tag, 1)
  end
  start(tag, id, entry, (isKeeper or not full) and Flag.takesSlot or 0)
  if full then
    got.overLimit[#got.overLimit + 1] = taken
    if full ~= key then turns[#turns + 1] = key end
  end
  return true, key ~= tag and full == key
end
