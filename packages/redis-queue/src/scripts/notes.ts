import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';

/** How many notes that have expired a write forgets, at most, for each note that it writes. */
const FORGOTTEN_FOR_EACH = 2;

/**
 * Notes: the hash `NOTES` has by key the version, when the note was written, when it expires (0: never) and its value, with a space between them. The keys
 * are also members of two sorted sets: of `NOTE_KEYS`, which is in the order of their bytes, and of `NOTE_ENDS` with the instant at which
 * the note expires.
 */
const note = `
-- The version and the end of a note; version 0 when there is none.
local function noteOf(text)
  local version, ends = string.match(text or '', '^(%d+) %d+ (%d+) ')
  ends = tonumber(ends)
  if not ends or (ends > 0 and ends <= now) then return 0 end
  return tonumber(version), ends
end
`;

const read = `
local prefix, from, limit = unpack(cmsgpack.unpack(ARGV[1]))
local keys = call('ZRANGEBYLEX', NOTE_KEYS, from, '(' .. prefix .. '\\255', 'LIMIT', 0, limit + 1)
local found, bytes, last = {}, 0, ''
for index = 1, #keys do
  if index > limit or bytes > MAX_REPLY_BYTES then return { now, found, last } end
  last = keys[index]
  local text = call('HGET', NOTES, last)
  if noteOf(text) > 0 then
    found[#found + 1], bytes = last, bytes + #text
    found[#found + 1] = text
  end
end
return { now, found, '' }
`;

const write = `
local function forget(key)
  call('HDEL', NOTES, key)
  call('ZREM', NOTE_KEYS, key)
  call('ZREM', NOTE_ENDS, key)
end
local writes, changed, versions = cmsgpack.unpack(ARGV[1]), {}, {}
for index = 1, #writes do
  local key, seen = unpack(writes[index])
  if seen >= 0 and noteOf(call('HGET', NOTES, key)) ~= seen then changed[#changed + 1] = index - 1 end
end
if #changed > 0 then return { now, 'changed', changed } end
checkRights()
writeWithoutMemory()
local latest = call('HINCRBY', META, 'noteVersion', #writes) - #writes
for index = 1, #writes do
  local key, _, value, ttlMs = unpack(writes[index])
  forget(key)
  versions[index] = 0
  if value ~= '' then
    local ends = ttlMs > 0 and instantOf(now + ttlMs) or 0
    versions[index] = latest + index
    call('HSET', NOTES, key, string.format('%.0f %.0f %.0f ', versions[index], now, ends) .. value)
    call('ZADD', NOTE_KEYS, 0, key)
    if ends > 0 then call('ZADD', NOTE_ENDS, ends, key) end
  end
end
for _, key in ipairs(call('ZRANGEBYSCORE', NOTE_ENDS, '-inf', now, 'LIMIT', 0, ${FORGOTTEN_FOR_EACH} * #writes)) do forget(key) end
return { now, 'written', versions }
`;

/** Returns the clock, notes, each after its key, and the last key that was looked at if there may be more. */
export const readNotesScript: Script = composeScript({ library: [basics, note], main: read });

/** Writes notes, or returns which of them are not what was seen. */
export const writeNotesScript: Script = composeScript({ library: [basics, note], main: write });
