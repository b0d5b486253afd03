-- The slots of concurrency keys. A run whose key has no free slot is parked, in a set that is sorted by key, lane, limit and the run's old
-- order. When a slot is free, one run of each key, lane and limit returns to the front of its lane, at its old order. PARKED_BY_LANE has
-- the parked runs by lane and old order, as the front of a lane has those that are back: for lists.
--
-- A run that keeps its slot while it waits to start again has the flag `takesSlot`, and a field in SLOTS_TAKEN: a zero character and its
-- id, which no key begins with. They are read where slots are counted anew.
--
-- A started run with a key of its own that also takes a slot of its lane has a field there: the character 1 and its id. Where it finds its
-- lane full, it is parked by the key of that.
--
-- Invariant: where runs of a key are parked, its slots taken, its runs returned and its runs that wait for their lanes are together at
-- least as many as their limit.
--
-- @use basics

local slotsTaken, changedKeys, keepers, laneTakers, areSlotsUnknown = {}, {}, {}, {}, false
local function slotsTakenOf(key)
  if not slotsTaken[key] then slotsTaken[key] = countOf(call('HGET', SLOTS_TAKEN, key)) end
  return slotsTaken[key]
end

local function changeSlots(key, by)
  slotsTaken[key] = math.max(0, slotsTakenOf(key) + by)
  changedKeys[key] = true
end

-- Returns a parked run to its lane, at its old order.
local function unpark(entry, lane, place)
  call('ZADD', FRONT, 0, lane .. '\0' .. place)
  call('ZREM', PARKED, entry)
  call('ZREM', PARKED_BY_LANE, lane .. '\0' .. place)
  wake(lane)
end

local function unparkNext(key)
  local from, to = '[' .. key .. '\0', '(' .. key .. '\1'
  while true do
    local entry = call('ZRANGEBYLEX', PARKED, from, to, 'LIMIT', 0, 1)[1]
    if not entry then return end
    local first = #key + 1
    local second = zeroAfter(entry, first + 1)
    local third = zeroAfter(entry, second + 1)
    local isFree = slotsTakenOf(key) < (tonumber(sub(entry, second + 1, third - 1)) or 0)
    if isFree then unpark(entry, sub(entry, first + 1, second - 1), sub(entry, third + 1)) end
    from = '(' .. sub(entry, 1, third) .. '\255'
  end
end

-- Frees the slot that a run has of its lane, beside that of its own key.
local function freeLaneSlot(id, body, key)
  local lane = laneOf(body)
  if key == lane or call('HEXISTS', SLOTS_TAKEN, '\1' .. id) == 0 then return end
  laneTakers[id] = false
  changeSlots(lane, -1)
  unparkNext(lane)
end

-- A run whose body cannot be read may have taken a slot of any key.
local function freeSlot(id)
  local body = call('HGET', BODY, id)
  if not isBody(body) then
    areSlotsUnknown = true
    return
  end
  local whenFull, limit, key = concurrencyOf(body)
  if not whenFull then return end
  changeSlots(key, -1)
  unparkNext(key)
  freeLaneSlot(id, body, key)
end

local function takesSlot(record)
  return record and has(flagsOf(record), Flag.takesSlot) or false
end

-- Frees the slot of a run that has one and ends, or is not to keep it while it waits; returns its new record.
local function keepOrFreeSlot(id, record)
  if isIn(record, State.submitted) or isIn(record, State.scheduled) then
    local body = call('HGET', BODY, id)
    local kind, limit, key
    if isBody(body) then
      kind, limit, key = concurrencyOf(body)
    end
    if kind == Kind.waitKept.plain or kind == Kind.claimKept.plain then
      keepers[id] = true
      freeLaneSlot(id, body, key)
      return withFlags(record, flagsOf(record) + Flag.takesSlot)
    end
  end
  freeSlot(id)
  return record
end

-- Frees the slot of a waiting run that ends, if it keeps one.
local function freeKeptSlot(id, old)
  if not takesSlot(old) then return end
  keepers[id] = false
  freeSlot(id)
end

-- Takes a parked run out of those that are: of its own key, or of its lane, by the limit of whatever task has put it aside. While it
-- waited for that, it had the turn of its key.
local function leaveParked(lane, key, limit, place)
  if call('ZREM', PARKED, key .. '\0' .. lane .. '\0' .. limit .. '\0' .. place) == 1 or key == lane then return end
  local prefix = lane .. '\0' .. lane .. '\0'
  local from = '[' .. prefix
  while true do
    local first = call('ZRANGEBYLEX', PARKED, from, '(' .. lane .. '\0' .. lane .. '\1', 'LIMIT', 0, 1)[1]
    if not first then return end
    local parking = sub(first, 1, zeroAfter(first, #prefix + 1))
    if call('ZREM', PARKED, parking .. place) == 1 then return unparkNext(key) end
    from = '(' .. parking .. '\255'
  end
end

-- Adds the slots of those among the runs that take one. What was stored wrong takes none.
local function countSlotsOf(counted, ids, takers)
  local records, keyed = readAll(RECORD, ids), {}
  for index = 1, #ids do
    local record = records[index]
    local isActive = record and (isIn(record, State.started) or isIn(record, State.submitted) or isIn(record, State.scheduled))
    if isActive and takesSlot(record) then keyed[#keyed + 1] = ids[index] end
  end
  local bodies = readAll(BODY, keyed)
  for index = 1, #keyed do
    local body = isBody(bodies[index]) and bodies[index] or ''
    local _, _, key = concurrencyOf(body)
    if key then counted[key] = (counted[key] or 0) + 1 end
    if key and takers[keyed[index]] then
      counted[laneOf(body)] = (counted[laneOf(body)] or 0) + 1
      takers[keyed[index]] = nil
    end
  end
end

-- Counts the slots that are taken, run by run: the counts may be wrong where something was stored wrong.
local function countSlots()
  local counted, from, waiting, takers = {}, 0, {}, {}
  local started = {}
  local fields = call('HGETALL', SLOTS_TAKEN)
  for index = 1, #fields, 2 do
    if byte(fields[index], 1) == 1 then takers[sub(fields[index], 2)] = true end
  end
  for id, takes in pairs(laneTakers) do
    takers[id] = takes or nil
  end
  repeat
    local ids = call('ZRANGE', LEASES, from, from + 999)
    for index = 1, #ids do
      started[ids[index]] = true
    end
    countSlotsOf(counted, ids, takers)
    from = from + #ids
  until #ids < 1000
  for index = 1, #fields, 2 do
    local id = byte(fields[index], 1) == 0 and sub(fields[index], 2)
    if id and not started[id] then waiting[#waiting + 1] = id end
  end
  countSlotsOf(counted, waiting, {})
  -- Of runs that are no longer started.
  for id in pairs(takers) do
    laneTakers[id] = false
  end
  return counted
end

local function recountSlots()
  areSlotsUnknown = false
  local counted, known = countSlots(), call('HGETALL', SLOTS_TAKEN)
  for index = 1, #known, 2 do
    if byte(known[index], 1) > 1 then counted[known[index]] = counted[known[index]] or 0 end
  end
  for key, count in pairs(counted) do
    if slotsTakenOf(key) ~= count then changeSlots(key, count - slotsTakenOf(key)) end
  end
  local from = '-'
  while true do
    local entry = call('ZRANGEBYLEX', PARKED, from, '+', 'LIMIT', 0, 1)[1]
    if not entry then return end
    local key = sub(entry, 1, zeroAfter(entry, 1) - 1)
    unparkNext(key)
    from = '(' .. key .. '\1'
  end
end

-- Written after the records and leases: a script that stops before has not freed the slot of a run that is still started. What takes
-- slots of lanes comes before the counts, and is removed after them, so that none stays taken.
local function writeSlots()
  if areSlotsUnknown then recountSlots() end
  for id, takes in pairs(laneTakers) do
    if takes then call('HSET', SLOTS_TAKEN, '\1' .. id, 1) end
  end
  for key in pairs(changedKeys) do
    if slotsTaken[key] == 0 then
      call('HDEL', SLOTS_TAKEN, key)
    else
      call('HSET', SLOTS_TAKEN, key, slotsTaken[key])
    end
  end
  changedKeys = {}
  for id, isKeeper in pairs(keepers) do
    if isKeeper then
      call('HSET', SLOTS_TAKEN, '\0' .. id, 1)
    else
      call('HDEL', SLOTS_TAKEN, '\0' .. id)
    end
  end
  keepers = {}
  for id, takes in pairs(laneTakers) do
    if not takes then call('HDEL', SLOTS_TAKEN, '\1' .. id) end
  end
  laneTakers = {}
end
