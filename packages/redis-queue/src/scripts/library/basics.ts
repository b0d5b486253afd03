import { MAX_INSTANT_AT } from '@retry/core';
import { MAX_BATCH_BYTES } from '@retry/core/broker/kit';
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
} from '../../record/layout.ts';
import {
  behind,
  byteOf,
  digits,
  field,
  flagsAs,
  has,
  instantText,
  isIn,
  isOneOf,
  lastEpoch,
  rewritten,
  startOf,
  zeros,
} from '../lua.ts';

const FLAGS_AT = startOf(RECORD, 'flags');
const KIND_AT = startOf(BODY, 'kind');
const NO_FLAGS_CODE = byteOf(NO_FLAGS);
const MAX_FLAGS = byteOf(flagText(...ALL_FLAGS)) - NO_FLAGS_CODE;
/** Added to an order, so that negative ones sort as text, too. */
const LANE_SEQ_OFFSET = 2 ** 52;
/** The commands by which scripts write, besides `publish`. */
const WRITES = ['hdel', 'hincrby', 'hset', 'lpop', 'lrem', 'ltrim', 'rpush', 'sadd', 'zadd', 'zrem']
  .map((name) => `'${name}'`)
  .join(', ');

/**
 * What every script may use: the server's clock, commands over long lists, and functions that read bodies and records by the
 * layout. No function here throws for any text: one damaged run must not stop the others. Before it stand the variables of keys,
 * and `FIXED`, how many keys there are before those of lanes.
 */
export const basics: string = `
local call, sub, byte, char, find = redis.call, string.sub, string.byte, string.char, string.find
-- A client may prepend something to all keys, also braces, but not to channels.
local CHANNELS = sub(BODY, (find(BODY, '{[^{]*$')), -5)
local WAKE, RESULT = CHANNELS .. 'wake:', CHANNELS .. 'result'
local HOLDS_CHANGED = CHANNELS .. 'holds'
local time = call('TIME')
local NOW = ${instantText(RECORD, 'submittedAt', 'time')}
local now = tonumber(NOW)
local NEVER = ${zeros(RECORD, 'submittedAt')}
local NO_SEQ = ${zeros(RECORD, 'laneSeq')}
-- Lua's unpack takes a few thousand values at most, so that longer lists are sent in pieces.
local MAX_UNPACKED = 4000
-- About how many bytes one reply carries at most.
local MAX_REPLY_BYTES = ${MAX_BATCH_BYTES}
local MAX_INSTANT_AT = ${MAX_INSTANT_AT}

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
    for index = 1, #part do all[from + index - 1] = part[index] end
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
  for _, name in ipairs({ ${WRITES} }) do
    if not redis.acl_check_cmd(name, BODY, '0', '0') then refuse(name) end
  end
  if not redis.acl_check_cmd('publish', RESULT, '') then refuse('publish') end
end

-- Fails before anything is written, if another program uses the key of a lane.
local function checkLanes()
  for index = FIXED + 1, #KEYS do call('LLEN', KEYS[index]) end
end

-- The flags of a record, as a number.
local function flagsOf(record)
  return math.min(math.max((byte(record, ${FLAGS_AT}) or ${NO_FLAGS_CODE}) - ${NO_FLAGS_CODE}, 0), ${MAX_FLAGS})
end
local function withFlags(record, flags)
  return ${rewritten('record', { flags: `char(${NO_FLAGS_CODE} + flags)` })}
end

local function hasStack(record)
  return ${has('flagsOf(record)', 'hasStack')}
end

-- A result that is kept apart leaves one character in the record.
local function hasLargeResult(record)
  return byte(record, #record) == ${byteOf(APART)}
end

-- Whether the body of this record has notes, which matter when the run ends.
local function isNotedRecord(record)
  return ${has('flagsOf(record)', 'noted')}
end

-- A first start, or its completion, may have a short record.
local FIRST_EPOCH = '${epochText(1)}'
local function isShort(record)
  return ${has('flagsOf(record)', 'short')}
end
local function epochOf(record)
  return isShort(record) and FIRST_EPOCH or sub(record, ${field(RECORD, 'epoch')})
end

-- Orders at the front of a lane are negative, other ones positive.
local function seqText(order)
  return string.format(${digits(RECORD, 'laneSeq')}, order + ${LANE_SEQ_OFFSET})
end

-- An instant as it is kept: whole, rounded up, so that nothing is early.
local function instantOf(at)
  return math.min(math.max(math.ceil(at), 0), MAX_INSTANT_AT)
end
local function dueText(at)
  return string.format(${digits(RECORD, 'runAt')}, instantOf(at))
end

-- 48 bits of a hash of the lane, as a number. A started record has it as its laneSeq, so that expired runs of a lane are found
-- without their bodies.
local hashes = {}
local function laneHashOf(tag)
  if not hashes[tag] then
    hashes[tag] = string.format(${digits(FIRST_START, 'laneHash')}, tonumber(sub(redis.sha1hex(tag), 1, 12), 16))
  end
  return hashes[tag]
end

local function startedLaneHashOf(record)
  return isShort(record) and sub(record, ${field(FIRST_START, 'laneHash')}) or sub(record, ${field(RECORD, 'laneSeq')})
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

-- The letter of whenFull, the limit and the key of a body; nil when it has none.
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

-- The flags of the first record of a run.
local function freshFlags(body)
  return isNoted(body) and ${flagsAs('noted')} or ${flagsAs()}
end

-- Whether the text is a body, so that its parts can be read.
local function isBody(body)
  if not body or find(sub(body, ${field(BODY, 'createdAt')}), '%D') or #body < ${behind(BODY)} then return false end
  if not find(sub(body, ${field(BODY, 'kind')}), '[${ALL_KINDS.join('')}]') then return false end
  local _, limit = concurrencyOf(body)
  limit = limit and (tonumber(limit) or 0 / 0)
  if limit ~= limit then return false end
  return find(body, '\0', laneAt(body), true) ~= nil
end

-- Whether the text is a record, as far as the scripts read it.
local function isRecord(record)
  local flags = byte(record, ${FLAGS_AT})
  if not flags or flags < ${NO_FLAGS_CODE} or flags > ${NO_FLAGS_CODE + MAX_FLAGS} then return false end
  if isShort(record) then
    local length = ${isIn('record', 'started')} and ${FIRST_START.length} or (${isIn('record', 'completed')} and ${FIRST_COMPLETION.length} or nil)
    return length ~= nil and #record >= length and not find(sub(record, ${startOf(FIRST_START, 'startedAt')}, length), '%D')
  end
  local other = find(record, '%D', ${startOf(RECORD, 'epoch')})
  if #record < ${behind(RECORD)} or (other and other < ${behind(RECORD)}) or sub(record, ${field(RECORD, 'epoch')}) >= ${lastEpoch} then return false end
  local zero = find(record, '\0', ${behind(RECORD)}, true)
  return zero ~= nil and find(record, '\0', zero + 1, true) ~= nil
end

-- A server without memory refuses the writes of a script, unless a deletion came first, which it always accepts. Scripts that free
-- memory, or keep a lease alive, begin with one; a submit does not, and is refused as a whole.
local function writeWithoutMemory()
  call('HDEL', SLOTS_TAKEN, '')
end

-- A count as scripts write it; 0 for anything else. Lua's tonumber takes \`nan\`, \`inf\` and \`0x10\`, too.
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
`;
