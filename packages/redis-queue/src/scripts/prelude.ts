/**
 * What every script begins with: its keys, the clock of the server, and commands over long lists. Lua's `unpack`
 * takes a few thousand values at most, so that long lists go in pieces.
 *
 * A record has a head of fixed width (see ../record.ts) that the scripts read and rewrite by position; positions here
 * count from 1.
 */
export const prelude: string = `
local BODY, RECORD, STACKS, META, LEASES, SCHEDULED, FRONT, PARKED, HELD, GHOSTS, FINISHED, DEAD, REPLIES, WORKERS, LANES = unpack(KEYS, 1, 15)
local call, sub, byte, char, find = redis.call, string.sub, string.byte, string.char, string.find
-- A client may put something before all keys, which channels do without.
local WAKE = sub(BODY, (find(BODY, '{', 1, true)), -5) .. 'wake:'
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local NOW = string.format('%013.0f', now)
local NEVER = '0000000000000'
local NOWHERE = '0000000000000000'
local MOST = 4000

local function many(command, key, values)
  local count, last = #values, 0
  if count > 0 and count <= MOST then return call(command, key, unpack(values)) end
  for from = 1, count, MOST do
    last = call(command, key, unpack(values, from, math.min(from + MOST - 1, count)))
  end
  return last
end

local function readAll(key, fields)
  local count = #fields
  if count == 0 then return {} end
  if count <= MOST then return call('HMGET', key, unpack(fields)) end
  local all = {}
  for from = 1, count, MOST do
    local part = call('HMGET', key, unpack(fields, from, math.min(from + MOST - 1, count)))
    for index = 1, #part do all[from + index - 1] = part[index] end
  end
  return all
end

local function laneKey(number)
  return KEYS[15 + number]
end

-- The flags of a record are one character; those of a run without a record are zero.
local function flagsOf(record)
  return byte(record, 2) - 48
end
local function withFlags(record, flags)
  return sub(record, 1, 1) .. char(48 + flags) .. sub(record, 3)
end

local function hasStack(record)
  return byte(record, 2) % 16 >= 8
end

-- A first start, or its completion, may have a short record; 16 in its flags says so.
local FIRST_EPOCH = '0000000001'
local function isShort(record)
  return byte(record, 2) >= 64
end
local function epochOf(record)
  return isShort(record) and FIRST_EPOCH or sub(record, 3, 12)
end

-- Orders at the front of a lane are negative, those of parked runs positive; as text they sort alike.
local function orderText(order)
  return string.format('%016.0f', order + 4503599627370496)
end

local function wake(lane, due)
  call('PUBLISH', WAKE .. lane, due or '')
end

-- A server without memory refuses the writes of a script, but not after its first: a deletion, which is always let
-- through. What gives memory back, or keeps a lease alive, begins so; a submit does not, and is refused whole.
local function writeWithoutMemory()
  call('HDEL', HELD, '')
end

local counts = {}
local function count(field, by)
  counts[field] = (counts[field] or 0) + by
end
local function writeCounts()
  for field, by in pairs(counts) do
    if by ~= 0 then call('HINCRBY', META, field, by) end
  end
end
`;
