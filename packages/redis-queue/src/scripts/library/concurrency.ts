import { has, isIn } from '../lua.ts';

/**
 * Concurrency keys. A run whose key is full is parked under its key, lane, limit and old order; when a start of the
 * key is free, one run of each such parking goes back to the front of its lane, at its old place.
 *
 * Kept true: where something is parked, the starts held and the runs given back are at least as many as its limit.
 */
export const concurrency: string = String.raw`
local held, changedKeys, isHeldUnknown = {}, {}, false
local function heldOf(key)
  if not held[key] then held[key] = tonumber(call('HGET', HELD, key) or 0) or 0 end
  return held[key]
end

local function holdKey(key, by)
  held[key] = math.max(0, heldOf(key) + by)
  changedKeys[key] = true
end

local function offerNext(key)
  local from, to = '[' .. key .. '\0', '(' .. key .. '\1'
  while true do
    local entry = call('ZRANGEBYLEX', PARKED, from, to, 'LIMIT', 0, 1)[1]
    if not entry then return end
    local first = #key + 1
    local second = zeroAfter(entry, first + 1)
    local third = zeroAfter(entry, second + 1)
    if heldOf(key) < (tonumber(sub(entry, second + 1, third - 1)) or 0) then
      local lane = sub(entry, first + 1, second - 1)
      call('ZADD', FRONT, 0, lane .. '\0' .. sub(entry, third + 1))
      call('ZREM', PARKED, entry)
      wake(lane)
    end
    from = '(' .. sub(entry, 1, third) .. '\255'
  end
end

-- A run whose body cannot be read may have held a key, nobody knows which.
local function freeKey(id)
  local body = call('HGET', BODY, id)
  if not isBody(body) then
    isHeldUnknown = true
    return
  end
  local whenFull, limit, key = concurrencyOf(body)
  if not whenFull then return end
  holdKey(key, -1)
  offerNext(key)
end

-- How many started runs hold each key, run by run: what was counted may be wrong where something was stored wrong.
local function countHeld()
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

local function mendHeld()
  isHeldUnknown = false
  local counted, known = countHeld(), call('HGETALL', HELD)
  for index = 1, #known, 2 do counted[known[index]] = counted[known[index]] or 0 end
  for key, count in pairs(counted) do
    if heldOf(key) ~= count then holdKey(key, count - heldOf(key)) end
  end
  local from = '-'
  while true do
    local entry = call('ZRANGEBYLEX', PARKED, from, '+', 'LIMIT', 0, 1)[1]
    if not entry then return end
    local key = sub(entry, 1, zeroAfter(entry, 1) - 1)
    offerNext(key)
    from = '(' .. key .. '\1'
  end
end

-- After the records and leases, so that a script which stops before has changed nothing.
local function writeHeld()
  if isHeldUnknown then mendHeld() end
  for key in pairs(changedKeys) do
    if held[key] == 0 then call('HDEL', HELD, key) else call('HSET', HELD, key, held[key]) end
  end
  changedKeys = {}
end
`;
