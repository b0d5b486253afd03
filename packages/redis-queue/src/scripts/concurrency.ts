/**
 * Concurrency keys. A run whose key is full is parked under its key, lane, limit and old order; when a start of the
 * key is free, one run of each such parking goes back to the front of its lane, at its old place.
 *
 * Kept true: where something is parked, the starts held and the runs given back are at least as many as its limit.
 */
export const concurrency: string = String.raw`
local held = {}
local function heldOf(key)
  if not held[key] then held[key] = tonumber(call('HGET', HELD, key) or 0) end
  return held[key]
end

local function holdKey(key, by)
  held[key] = heldOf(key) + by
  if held[key] == 0 then call('HDEL', HELD, key) else call('HSET', HELD, key, held[key]) end
end

-- whenFull ('w' or 'c'), limit and key of a body; nothing when it has none.
local function concurrencyOf(body)
  local whenFull = sub(body, 14, 14)
  if whenFull == '-' then return nil end
  local first = find(body, '\0', 15, true)
  local second = find(body, '\0', first + 1, true)
  return whenFull, sub(body, 15, first - 1), sub(body, first + 1, second - 1)
end

local function laneOf(body)
  local start = 15
  if byte(body, 14) ~= 45 then
    start = find(body, '\0', 15, true) + 1
    start = find(body, '\0', start, true) + 1
  end
  return sub(body, start, find(body, '\0', start, true) - 1)
end

local function offerNext(key)
  local from, to = '[' .. key .. '\0', '(' .. key .. '\1'
  while true do
    local entry = call('ZRANGEBYLEX', PARKED, from, to, 'LIMIT', 0, 1)[1]
    if not entry then return end
    local first = #key + 1
    local second = find(entry, '\0', first + 1, true)
    local third = find(entry, '\0', second + 1, true)
    if heldOf(key) < tonumber(sub(entry, second + 1, third - 1)) then
      local lane = sub(entry, first + 1, second - 1)
      call('ZREM', PARKED, entry)
      call('ZADD', FRONT, 0, lane .. '\0' .. sub(entry, third + 1))
      wake(lane)
    end
    from = '(' .. sub(entry, 1, third) .. '\255'
  end
end

local function freeKey(id)
  local body = call('HGET', BODY, id)
  if not body then return end
  local whenFull, limit, key = concurrencyOf(body)
  if not whenFull then return end
  holdKey(key, -1)
  offerNext(key)
end
`;
