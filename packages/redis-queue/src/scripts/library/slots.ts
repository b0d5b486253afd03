import { has, isIn } from '../lua.ts';

/**
 * The slots of concurrency keys. A run whose key has no free slot is parked, in a set that is sorted by key, lane, limit and
 * the run's old order. When a slot is free, one run of each key, lane and limit returns to the front of its lane, at its old order.
 * `PARKED_BY_LANE` has the parked runs by lane and old order, as the front of a lane has those that are back: for lists.
 *
 * Invariant: where runs of a key are parked, its slots taken and its runs returned are together at least as many as their limit.
 */
export const slots: string = String.raw`
local slotsTaken, changedKeys, areSlotsUnknown = {}, {}, false
local function slotsTakenOf(key)
  if not slotsTaken[key] then slotsTaken[key] = tonumber(call('HGET', SLOTS_TAKEN, key) or 0) or 0 end
  return slotsTaken[key]
end

local function changeSlots(key, by)
  slotsTaken[key] = math.max(0, slotsTakenOf(key) + by)
  changedKeys[key] = true
end

local function unparkNext(key)
  local from, to = '[' .. key .. '\0', '(' .. key .. '\1'
  while true do
    local entry = call('ZRANGEBYLEX', PARKED, from, to, 'LIMIT', 0, 1)[1]
    if not entry then return end
    local first = #key + 1
    local second = zeroAfter(entry, first + 1)
    local third = zeroAfter(entry, second + 1)
    if slotsTakenOf(key) < (tonumber(sub(entry, second + 1, third - 1)) or 0) then
      local lane = sub(entry, first + 1, second - 1)
      call('ZADD', FRONT, 0, lane .. '\0' .. sub(entry, third + 1))
      call('ZREM', PARKED, entry)
      call('ZREM', PARKED_BY_LANE, lane .. '\0' .. sub(entry, third + 1))
      wake(lane)
    end
    from = '(' .. sub(entry, 1, third) .. '\255'
  end
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
end

-- Counts the slots that started runs take, run by run: the counts may be wrong where something was stored wrong.
local function countSlots()
  local counted, from = {}, 0
  repeat
    local ids, keyed = call('ZRANGE', LEASES, from, from + 999), {}
    local records = readAll(RECORD, ids)
    for index = 1, #ids do
      local record = records[index]
      if record and ${isIn('record', 'started')} and ${has('flagsOf(record)', 'takesSlot')} then keyed[#keyed + 1] = ids[index] end
    end
    local bodies = readAll(BODY, keyed)
    for index = 1, #keyed do
      local _, _, key = concurrencyOf(isBody(bodies[index]) and bodies[index] or '')
      if key then counted[key] = (counted[key] or 0) + 1 end
    end
    from = from + #ids
  until #ids < 1000
  return counted
end

local function recountSlots()
  areSlotsUnknown = false
  local counted, known = countSlots(), call('HGETALL', SLOTS_TAKEN)
  for index = 1, #known, 2 do counted[known[index]] = counted[known[index]] or 0 end
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

-- Written after the records and leases: a script that stops before has not freed the slot of a run that is still started.
local function writeSlots()
  if areSlotsUnknown then recountSlots() end
  for key in pairs(changedKeys) do
    if slotsTaken[key] == 0 then call('HDEL', SLOTS_TAKEN, key) else call('HSET', SLOTS_TAKEN, key, slotsTaken[key]) end
  end
  changedKeys = {}
end
`;
