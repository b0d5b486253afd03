-- What every script may use: the server's clock, commands over long lists, and functions that read bodies and records by the layout.
-- No function here throws for any text: one damaged run must not stop the others.
--
-- Before it stand the variables of keys, and `FIXED`, how many keys there are before those of lanes.

local call, sub, byte, char, find = redis.call, string.sub, string.byte, string.char, string.find
-- A client may prepend something to all keys, also braces, but not to channels.
local CHANNELS = sub(BODY, (find(BODY, '{[^{]*$')), -5)
local WAKE, RESULT = CHANNELS .. 'wake:', CHANNELS .. 'result'
local HOLDS_CHANGED = CHANNELS .. 'holds'
local time = call('TIME')
local NOW = instantText(Record.submittedAt, time)
local now = tonumber(NOW)
local NEVER = Record.submittedAt.zeros
local NO_SEQ = Record.laneSeq.zeros
-- Lua's unpack takes a few thousand values at most, so that longer lists are sent in pieces.
local MAX_UNPACKED = 4000
-- About how many bytes one reply carries at most.
local MAX_REPLY_BYTES = Limit.replyBytes
local MAX_INSTANT_AT = Limit.instantAt

local function refuse(name)
  error({ err = "NOPERM this user has no permissions to run the '" .. name .. "' command or to access its key or channel" })
end

local function many(command, key, values)
  local count, last = #values, 0
  if count > 0 and count <= MAX_UNPACKED then return call(command, key, unpack(values)) end
  for from = 1, count, MAX_UNPACKED do
    last = call(command, key, unpack(values, from, math.min(from + MAX_UNPACKED - 1, count)))
  end
  return last
end

local function readAll(key, fields)
  local count = #fields
  if count == 0 then return {} end
  if count <= MAX_UNPACKED then return call('HMGET', key, unpack(fields)) end
  local all = {}
  for from = 1, count, MAX_UNPACKED do
    local part = call('HMGET', key, unpack(fields, from, math.min(from + MAX_UNPACKED - 1, count)))
    for index = 1, #part do
      all[from + index - 1] = part[index]
    end
  end
  return all
end

-- Keys of lanes that the call has not named, but that its runs are in.
local moreLanes = {}
local function laneKey(number)
  return KEYS[FIXED + number] or moreLanes[number]
end
local function tagOf(number)
  return sub(KEYS[FIXED + number], #BODY + 2)
end

-- Fails before anything is written, if the user may not send one of the commands that write: a script that is refused half-way
-- leaves a run in two places, or in none. Redis before 7.0 cannot tell.
local function checkRights()
  if not redis.acl_check_cmd then return end
  for _, name in ipairs({ 'hdel', 'hincrby', 'hset', 'lpop', 'lrem', 'ltrim', 'rpush', 'sadd', 'zadd', 'zrem' }) do
    if not redis.acl_check_cmd(name, BODY, '0', '0') then refuse(name) end
  end
  if not redis.acl_check_cmd('publish', RESULT, '') then refuse('publish') end
end

-- Fails before anything is written, if another program uses the key of a lane.
local function checkLanes()
  for index = FIXED + 1, #KEYS do
    call('LLEN', KEYS[index])
  end
end

-- The flags of a record, as a number.
local function flagsOf(record)
  return math.min(math.max((byte(record, Record.flags.from) or Flag.base) - Flag.base, 0), Flag.all)
end
local function withFlags(record, flags)
  return rewrite(record, { flags = flagText(flags) })
end

local function hasStack(record)
  return has(flagsOf(record), Flag.hasStack)
end

-- A result that is kept apart leaves one character in the record.
local function hasLargeResult(record)
  return byte(record, #record) == byte(Mark.apart)
end

-- Whether the body of this record has notes, which matter when the run ends.
local function isNotedRecord(record)
  return has(flagsOf(record), Flag.noted)
end

-- A first start, or its completion, may have a short record.
local FIRST_EPOCH = FirstEpoch
local function isShort(record)
  return has(flagsOf(record), Flag.short)
end
local function epochOf(record)
  return isShort(record) and FIRST_EPOCH or fieldOf(record, Record.epoch)
end

-- Orders at the front of a lane are negative, other ones positive.
local function seqText(order)
  return string.format(Record.laneSeq.format, order + 4503599627370496)
end

-- An instant as it is kept: whole, rounded up, so that nothing is early.
local function instantOf(at)
  return math.min(math.max(math.ceil(at), 0), MAX_INSTANT_AT)
end
local function dueText(at)
  return string.format(Record.runAt.format, instantOf(at))
end

-- 48 bits of a hash of the lane, as a number. A started record has it as its laneSeq, so that expired runs of a lane are found
-- without their bodies.
local hashes = {}
local function laneHashOf(tag)
  if not hashes[tag] then hashes[tag] = string.format(FirstStart.laneHash.format, tonumber(sub(redis.sha1hex(tag), 1, 12), 16)) end
  return hashes[tag]
end

local function startedLaneHashOf(record)
  return isShort(record) and fieldOf(record, FirstStart.laneHash) or fieldOf(record, Record.laneSeq)
end

-- Notifies workers that wait for this lane, and adds it to the lanes; the attend script removes empty ones.
local function wake(lane, due)
  call('SADD', LANES, lane)
  call('PUBLISH', WAKE .. lane, due or '')
end

-- Bodies: see encodeBody in record/body.ts. A zero character ends each part of no fixed length.
local function zeroAfter(text, from)
  return find(text, '\0', from, true) or #text + 1
end
local function isNoted(body)
  local kind = byte(body, Body.kind.from)
  return isOneOf(kind, NotedKinds)
end
local function notesOf(body)
  if not isNoted(body) then return '' end
  return sub(body, Body.length + 1, zeroAfter(body, Body.length + 1) - 1)
end
local function hasLargePayload(body)
  return find(notesOf(body), Note.payloadApart, 1, true) ~= nil
end
-- The fairness key of a body, which follows its notes; nil when it has none.
local function fairnessOf(body)
  if not isNoted(body) or byte(body, Body.length + 1) ~= byte(Note.fair) then return nil end
  local from = zeroAfter(body, Body.length + 1) + 1
  return sub(body, from, zeroAfter(body, from) - 1)
end
-- Where the concurrency of a body begins, or its lane.
local function afterNotes(body)
  if not isNoted(body) then return Body.length + 1 end
  local from = zeroAfter(body, Body.length + 1) + 1
  if byte(body, Body.length + 1) ~= byte(Note.fair) then return from end
  return zeroAfter(body, from) + 1
end
local function hasKey(body)
  local kind = byte(body, Body.kind.from)
  return isOneOf(kind, KeyedKinds)
end

-- The letter of whenFull, the limit and the key of a body; nil when it has none.
local function concurrencyOf(body)
  if not hasKey(body) then return nil end
  local from = afterNotes(body)
  local first = zeroAfter(body, from)
  return string.lower(fieldOf(body, Body.kind)), sub(body, from, first - 1), sub(body, first + 1, zeroAfter(body, first + 1) - 1)
end

-- Where the lane begins.
local function laneAt(body)
  local start = afterNotes(body)
  if hasKey(body) then start = zeroAfter(body, zeroAfter(body, start) + 1) + 1 end
  return start
end
local function laneOf(body)
  local start = laneAt(body)
  return sub(body, start, zeroAfter(body, start) - 1)
end

-- The flags of the first record of a run.
local function freshFlags(body)
  return isNoted(body) and flagText(Flag.noted) or flagText(0)
end

-- Whether the text is a body, so that its parts can be read.
local function isBody(body)
  if not body or find(fieldOf(body, Body.createdAt), '%D') or #body < Body.length + 1 then return false end
  if not find(fieldOf(body, Body.kind), '[' .. AllKinds .. ']') then return false end
  local _, limit = concurrencyOf(body)
  limit = limit and (tonumber(limit) or 0 / 0)
  if limit ~= limit then return false end
  return find(body, '\0', laneAt(body), true) ~= nil
end

-- Whether the text is a record, as far as the scripts read it.
local function isRecord(record)
  local flags = byte(record, Record.flags.from)
  if not flags or flags < Flag.base or flags > Flag.base + Flag.all then return false end
  if isShort(record) then
    local length = isIn(record, State.started) and FirstStart.length or (isIn(record, State.completed) and FirstCompletion.length or nil)
    return length ~= nil and #record >= length and not find(sub(record, FirstStart.startedAt.from, length), '%D')
  end
  local other = find(record, '%D', Record.epoch.from)
  if #record < Record.length + 1 or (other and other < Record.length + 1) or fieldOf(record, Record.epoch) >= Record.epoch.nines then
    return false
  end
  local zero = find(record, '\0', Record.length + 1, true)
  return zero ~= nil and find(record, '\0', zero + 1, true) ~= nil
end

-- A server without memory refuses the writes of a script, unless a deletion came first, which it always accepts. Scripts that free
-- memory, or keep a lease alive, begin with one; a submit does not, and is refused as a whole.
local function writeWithoutMemory()
  call('HDEL', SLOTS_TAKEN, '')
end

-- A count as scripts write it; 0 for anything else. Lua's tonumber takes `nan`, `inf` and `0x10`, too.
local function countOf(text)
  return text and #text <= 15 and not find(text, '%D') and tonumber(text) or 0
end

local counts = {}
local function count(field, by)
  counts[field] = (counts[field] or 0) + by
end
local function writeCounts()
  for field, by in pairs(counts) do
    if by ~= 0 then call('HINCRBY', META, field, by) end
  end
  counts = {}
end
