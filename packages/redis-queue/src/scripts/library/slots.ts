import { BODY_KINDS, FLAGS } from '../../record/layout.ts';
import { has, isIn } from '../lua.ts';

/**
 * The slots of concurrency keys. A run whose key has no free slot is parked, in a set that is sorted by key, lane, limit and
 * the run's old order. When a slot is free, one run of each key, lane and limit returns to the front of its lane, at its old order.
 * `PARKED_BY_LANE` has the parked runs by lane and old order, as the front of a lane has those that are back: for lists.
 *
 * A run that keeps its slot while it waits to start again has the flag `takesSlot`, and a field in `SLOTS_TAKEN`: a zero character
 * and its id, which no key begins with. They are read where slots are counted anew.
 *
 * Invariant: where runs of a key are parked, its slots taken and its runs returned are together at least as many as their limit.
 */
export const slots: string = String.raw`
local slotsTaken, changedKeys, keepers, areSlotsUnknown = {}, {}, {}, false
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

local function takesSlot(record)
  return record and ${has('flagsOf(record)', 'takesSlot')}
end

-- Frees the slot of a run that has one and ends, or is not to keep it while it waits; returns its new record.
local function keepOrFreeSlot(id, record)
  if ${isIn('record', 'submitted')} or ${isIn('record', 'scheduled')} then
    local body = call('HGET', BODY, id)
    local kind = isBody(body) and concurrencyOf(body)
    if kind == '${BODY_KINDS.waitKept.plain}' or kind == '${BODY_KINDS.claimKept.plain}' then
      keepers[id] = true
      return withFlags(record, flagsOf(record) + ${FLAGS.takesSlot})
    end
  end
  freeSlot(id)
  return record
end

-- Frees the slot of a waiting run that ends, if it keeps one; returns the record that it ends with.
local function freeKeptSlot(id, old, record)
  if not takesSlot(old) then return record end
  keepers[id] = false
  freeSlot(id)
  return takesSlot(record) and withFlags(record, flagsOf(record) - ${FLAGS.takesSlot}) or record
end

-- Adds the slots of those among the runs that take one. What was stored wrong takes none.
local function countSlotsOf(counted, ids)
  local records, keyed = readAll(RECORD, ids), {}
  for index = 1, #ids do
    local record = records[index]
    local isActive = record and (${isIn('record', 'started')} or ${isIn('record', 'submitted')} or ${isIn('record', 'scheduled')})
    if isActive and takesSlot(record) then keyed[#keyed + 1] = ids[index] end
  end
  local bodies = readAll(BODY, keyed)
  for index = 1, #keyed do
    local _, _, key = concurrencyOf(isBody(bodies[index]) and bodies[index] or '')
    if key then counted[key] = (counted[key] or 0) + 1 end
  end
end

-- Counts the slots that are taken, run by run: the counts may be wrong where something was stored wrong.
local function countSlots()
  local counted, from, waiting = {}, 0, {}
  local started = {}
  repeat
    local ids = call('ZRANGE', LEASES, from, from + 999)
    for index = 1, #ids do started[ids[index]] = true end
    countSlotsOf(counted, ids)
    from = from + #ids
  until #ids < 1000
  local fields = call('HGETALL', SLOTS_TAKEN)
  for index = 1, #fields, 2 do
    local id = byte(fields[index], 1) == 0 and sub(fields[index], 2)
    if id and not started[id] then waiting[#waiting + 1] = id end
  end
  countSlotsOf(counted, waiting)
  return counted
end

local function recountSlots()
  areSlotsUnknown = false
  local counted, known = countSlots(), call('HGETALL', SLOTS_TAKEN)
  for index = 1, #known, 2 do
    if byte(known[index], 1) ~= 0 then counted[known[index]] = counted[known[index]] or 0 end
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

-- Written after the records and leases: a script that stops before has not freed the slot of a run that is still started.
local function writeSlots()
  if areSlotsUnknown then recountSlots() end
  for key in pairs(changedKeys) do
    if slotsTaken[key] == 0 then call('HDEL', SLOTS_TAKEN, key) else call('HSET', SLOTS_TAKEN, key, slotsTaken[key]) end
  end
  changedKeys = {}
  for id, isKeeper in pairs(keepers) do
    if isKeeper then call('HSET', SLOTS_TAKEN, '\0' .. id, 1) else call('HDEL', SLOTS_TAKEN, '\0' .. id) end
  end
  keepers = {}
end
`;
