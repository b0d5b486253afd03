import { APART } from '../../record/apart.ts';
import { epochText } from '../../record/encode-record.ts';
import {
  ALL_FLAGS,
  ALL_KINDS,
  BODY,
  FIRST_COMPLETION,
  FIRST_START,
  flagText,
  KEYED_KINDS,
  NO_FLAGS,
  NOTED_KINDS,
  NOTES,
  RECORD,
  widthOf,
} from '../../record/layout.ts';
import { LUA_KEYS } from '../../store/keys.ts';
import {
  behind,
  byteOf,
  digits,
  field,
  flagsAs,
  has,
  isIn,
  isOneOf,
  rewritten,
  startOf,
  zeros,
} from '../lua.ts';

const FLAGS_AT = startOf(RECORD, 'flags');
const KIND_AT = startOf(BODY, 'kind');
const NO_FLAGS_CODE = byteOf(NO_FLAGS);
const MOST_FLAGS = byteOf(flagText(...ALL_FLAGS)) - NO_FLAGS_CODE;
const LAST_EPOCH = '9'.repeat(widthOf(RECORD, 'epoch'));

/**
 * What every script begins with: its keys, the clock of the server, and commands over long lists. Lua's `unpack`
 * takes a few thousand values at most, so that long lists go in pieces.
 *
 * A record has a head of fixed width (see ../record.ts) that the scripts read and rewrite by position; positions here
 * count from 1. No function here throws, whatever text it is given: what is stored wrong is to stop nothing else.
 */
export const prelude: string = `
local ${LUA_KEYS.join(', ')} = unpack(KEYS, 1, ${LUA_KEYS.length})
local call, sub, byte, char, find = redis.call, string.sub, string.byte, string.char, string.find
-- A client may put something before all keys, which channels do without.
local CHANNELS = sub(BODY, (find(BODY, '{', 1, true)), -5)
local WAKE, RESULT = CHANNELS .. 'wake:', CHANNELS .. 'result'
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local NOW = string.format(${digits(RECORD, 'submittedAt')}, now)
local NEVER = ${zeros(RECORD, 'submittedAt')}
local NOWHERE = ${zeros(RECORD, 'laneSeq')}
local MOST = 4000
-- About so many bytes one reply carries: clients cannot take much more at a time.
local MOST_BYTES = 8388608
-- The last instant that is kept; core's MAX_INSTANT_AT.
local LAST = 8640000000000000

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

-- Lanes that a call has not named, but its runs are in.
local moreLanes = {}
local function laneKey(number)
  return KEYS[${LUA_KEYS.length} + number] or moreLanes[number]
end

-- Whoever shares the server may have put something else where a lane is: that is found out before anything is written.
local function checkLanes()
  for index = ${LUA_KEYS.length + 1}, #KEYS do call('LLEN', KEYS[index]) end
end

-- The flags of a record are one character; those of a run without a record are zero.
local function flagsOf(record)
  return math.min(math.max((byte(record, ${FLAGS_AT}) or ${NO_FLAGS_CODE}) - ${NO_FLAGS_CODE}, 0), ${MOST_FLAGS})
end
local function withFlags(record, flags)
  return ${rewritten('record', { flags: `char(${NO_FLAGS_CODE} + flags)` })}
end

local function hasStack(record)
  return ${has('flagsOf(record)', 'hasStack')}
end

-- A result that is kept apart leaves one character in its record.
local function hasLargeResult(record)
  return byte(record, #record) == ${byteOf(APART)}
end

-- Whether the body has notes that matter when the run ends (32 in the flags).
local function isNotedRecord(record)
  return ${has('flagsOf(record)', 'noted')}
end

-- A first start, or its completion, may have a short record; 16 in its flags says so.
local FIRST_EPOCH = '${epochText(1)}'
local function isShort(record)
  return ${has('flagsOf(record)', 'short')}
end
local function epochOf(record)
  return isShort(record) and FIRST_EPOCH or sub(record, ${field(RECORD, 'epoch')})
end

-- Orders at the front of a lane are negative, those of parked runs positive; as text they sort alike.
local function orderText(order)
  return string.format(${digits(RECORD, 'laneSeq')}, order + 4503599627370496)
end

-- An instant as it is kept: whole, rounded up, so that nothing is early; the last one that is kept at most.
local function instantOf(at)
  return math.min(math.max(math.ceil(at), 0), LAST)
end
local function dueText(at)
  return string.format(${digits(RECORD, 'runAt')}, instantOf(at))
end

-- In a started record, where others have their order: a number made of the lane, so that expired runs of a lane are
-- found without a look at their bodies. Whether two lanes share one is decided by 48 bits of SHA-1.
local notes = {}
local function noteOf(tag)
  if not notes[tag] then
    notes[tag] = string.format(${digits(FIRST_START, 'laneHash')}, tonumber(sub(redis.sha1hex(tag), 1, 12), 16))
  end
  return notes[tag]
end

local function leasedNoteOf(record)
  return isShort(record) and sub(record, ${field(FIRST_START, 'laneHash')}) or sub(record, ${field(RECORD, 'laneSeq')})
end

-- A lane that gets something is among the lanes; those where nothing waits any more are dropped from them by and by.
local function wake(lane, due)
  call('SADD', LANES, lane)
  call('PUBLISH', WAKE .. lane, due or '')
end

-- The body of a run: when it was submitted; '-', or 'w' or 'c' where it has a concurrency key, which are '=', 'W' and
-- 'C' where notes follow ('k': the id is a name, 'p': the payload is kept apart, and how long its result waits to be
-- read); limit and key; the lane; the payload. A zero character ends each part of no fixed length.
local function zeroAfter(text, from)
  return find(text, '\0', from, true) or #text + 1
end
local function isNoted(body)
  local kind = byte(body, ${KIND_AT})
  return ${isOneOf('kind', NOTED_KINDS)}
end
local function notesOf(body)
  if not isNoted(body) then return '' end
  return sub(body, ${behind(BODY)}, zeroAfter(body, ${behind(BODY)}) - 1)
end
local function hasLargePayload(body)
  return find(notesOf(body), '${NOTES.payloadApart}', 1, true) ~= nil
end
local function afterNotes(body)
  return isNoted(body) and zeroAfter(body, ${behind(BODY)}) + 1 or ${behind(BODY)}
end
local function hasKey(body)
  local kind = byte(body, ${KIND_AT})
  return ${isOneOf('kind', KEYED_KINDS)}
end

-- whenFull ('w' or 'c'), limit and key of a body; nothing when it has none.
local function concurrencyOf(body)
  if not hasKey(body) then return nil end
  local from = afterNotes(body)
  local first = zeroAfter(body, from)
  return string.lower(sub(body, ${field(BODY, 'kind')})), sub(body, from, first - 1), sub(body, first + 1, zeroAfter(body, first + 1) - 1)
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

-- The flags that the first record of a run has.
local function freshFlags(body)
  return isNoted(body) and ${flagsAs('noted')} or ${flagsAs()}
end

-- Whether a body is one: else what is in it cannot be told apart.
local function isBody(body)
  if not body or find(sub(body, ${field(BODY, 'createdAt')}), '%D') or #body < ${behind(BODY)} then return false end
  if not find(sub(body, ${field(BODY, 'kind')}), '[${ALL_KINDS.join('')}]') then return false end
  local _, limit = concurrencyOf(body)
  if limit and not tonumber(limit) then return false end
  return find(body, '\0', laneAt(body), true) ~= nil
end

-- Whether a record is one, as far as the scripts look.
local function isRecord(record)
  local flags = byte(record, ${FLAGS_AT})
  if not flags or flags < ${NO_FLAGS_CODE} or flags > ${NO_FLAGS_CODE + MOST_FLAGS} then return false end
  if isShort(record) then
    local length = ${isIn('record', 'started')} and ${FIRST_START.length} or (${isIn('record', 'completed')} and ${FIRST_COMPLETION.length} or nil)
    return length ~= nil and #record >= length and not find(sub(record, ${startOf(FIRST_START, 'startedAt')}, length), '%D')
  end
  local other = find(record, '%D', ${startOf(RECORD, 'epoch')})
  if #record < ${behind(RECORD)} or (other and other < ${behind(RECORD)}) or sub(record, ${field(RECORD, 'epoch')}) >= '${LAST_EPOCH}' then return false end
  local zero = find(record, '\0', ${behind(RECORD)}, true)
  return zero ~= nil and find(record, '\0', zero + 1, true) ~= nil
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
  counts = {}
end
`;
