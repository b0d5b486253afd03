import { HOLD_PREFIX } from '@retry/core/broker/kit';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';

/** How many notes that have expired a write forgets, at most, for each note that it writes. */
const FORGOTTEN_FOR_EACH = 2;

/**
 * Notes: the hash `NOTES`, for holds `HOLDS`, has by key the version, when the note was written, when it expires (0: never), after how
 * long it probes (0: never) and its value, with a space between them. The keys are also members of two sorted sets: of `NOTE_KEYS`, which is
 * in the order of their bytes, and of `NOTE_ENDS` with the instant at which the note is gone.
 */
const note = `
-- 0 when there is no note.
local function versionOf(text)
  local version, ends, probeMs = string.match(text or '', '^(%d+) %d+ (%d+) (%d+) ')
  ends = tonumber(ends)
  if not ends or (ends > 0 and ends <= now and tonumber(probeMs) == 0) then return 0 end
  return tonumber(version)
end
local function isHold(key)
  return sub(key, 1, ${HOLD_PREFIX.length}) == '${HOLD_PREFIX}'
end
local function hashOf(key)
  return isHold(key) and HOLDS or NOTES
end
`;

const read = `
local prefix, from, limit = unpack(cmsgpack.unpack(ARGV[1]))
local keys = call('ZRANGEBYLEX', NOTE_KEYS, from, '(' .. prefix .. '\\255', 'LIMIT', 0, limit + 1)
local found, bytes, last = {}, 0, ''
for index = 1, #keys do
  if index > limit or bytes > MAX_REPLY_BYTES then return { now, found, last } end
  last = keys[index]
  local text = call('HGET', hashOf(last), last)
  if versionOf(text) > 0 then
    found[#found + 1], bytes = last, bytes + #text
    found[#found + 1] = text
  end
end
return { now, found, '' }
`;

const write = `
local function forget(key)
  call('ZREM', NOTE_KEYS, key)
  call('ZREM', NOTE_ENDS, key)
  return call('HDEL', hashOf(key), key) > 0
end
local writes, changed, versions = cmsgpack.unpack(ARGV[1]), {}, {}
for index = 1, #writes do
  local key, seen = unpack(writes[index])
  if seen >= 0 and versionOf(call('HGET', hashOf(key), key)) ~= seen then changed[#changed + 1] = index - 1 end
end
if #changed > 0 then return { now, 'changed', changed } end
checkRights()
writeWithoutMemory()
local isHeld, latest = false, call('HINCRBY', META, 'noteVersion', #writes) - #writes
for index = 1, #writes do
  local key, _, value, ttlMs, expiresAt, probeMs = unpack(writes[index])
  local isChanged = forget(key)
  versions[index] = 0
  if value ~= '' then
    local ends = math.max(expiresAt, ttlMs > 0 and instantOf(now + ttlMs) or 0)
    isChanged, versions[index] = true, latest + index
    call('HSET', hashOf(key), key, string.format('%.0f %.0f %.0f %.0f ', versions[index], now, ends, probeMs) .. value)
    call('ZADD', NOTE_KEYS, 0, key)
    if ends > 0 and probeMs == 0 then call('ZADD', NOTE_ENDS, ends, key) end
  end
  isHeld = isHeld or isChanged and isHold(key)
end
if isHeld then call('PUBLISH', HOLDS_CHANGED, '') end
for _, key in ipairs(call('ZRANGEBYSCORE', NOTE_ENDS, '-inf', now, 'LIMIT', 0, ${FORGOTTEN_FOR_EACH} * #writes)) do forget(key) end
return { now, 'written', versions }
`;

/** Returns the clock, notes, each after its key, and the last key that was looked at if there may be more. */
export const readNotesScript: Script = composeScript({ library: [basics, note], main: read });

/** Writes notes, or returns which of them are not what was seen. */
export const writeNotesScript: Script = composeScript({ library: [basics, note], main: write });
