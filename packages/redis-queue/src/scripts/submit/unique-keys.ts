import { KEYS_LOOKED_AT } from '@retry/core/broker/kit';
import { KEY_UNTIL, RECORD } from '../../record/layout.ts';
import { behind, field, lastEpoch, letter, zeros } from '../lua.ts';

/**
 * Which run has a unique key: the hash `UNIQUE_KEYS` has for each key until when, a space and the id. Whether the run still has it is
 * seen at the run, by `hasKey` as core's kit defines it, so that claims and settlements do not know of keys.
 */
export const uniqueKeys: string = `
-- A run that waits for its first claim has no record.
local function isWaiting(id)
  local record = call('HGET', RECORD, id)
  if not record then return call('HEXISTS', BODY, id) == 1 end
  local state = sub(record, ${field(RECORD, 'state')})
  return isRecord(record) and (state == ${letter('submitted')} or state == ${letter('scheduled')})
end

local function hasRedrives(record)
  local from = zeroAfter(record, ${behind(RECORD)}) + 1
  return find(sub(record, from, zeroAfter(record, from) - 1), '"redrives":[1-9]') ~= nil
end

local function hasRun(id, kind)
  local record = call('HGET', RECORD, id)
  if not record then return call('HEXISTS', BODY, id) == 1 end
  if not isRecord(record) or sub(record, ${field(RECORD, 'epoch')}) >= ${lastEpoch} then return false end
  local state = sub(record, ${field(RECORD, 'state')})
  local isStarted = state == ${letter('started')}
  if not isStarted and state ~= ${letter('submitted')} and state ~= ${letter('scheduled')} then return false end
  if kind == '${KEY_UNTIL.started}' and (isStarted or epochOf(record) ~= ${zeros(RECORD, 'epoch')}) then return false end
  return isShort(record) or not hasRedrives(record)
end

-- The id of the run that has the key; nil when it is free.
local function holderOf(key)
  local kept = call('HGET', UNIQUE_KEYS, key)
  local gap = kept and find(kept, ' ', 1, true)
  if not gap then return nil end
  local kind, id = sub(kept, 1, gap - 1), sub(kept, gap + 1)
  local untilAt = tonumber(kind)
  if untilAt then return untilAt > now and id or nil end
  return hasRun(id, kind) and id or nil
end

-- A number counts from now, in milliseconds.
local function giveKey(key, until_, id)
  local kind = type(until_) == 'number' and string.format('%.0f', instantOf(now + until_)) or until_
  call('HSET', UNIQUE_KEYS, key, kind .. ' ' .. id)
end

-- Each submission adds one key at most and looks at ${KEYS_LOOKED_AT}, so that of many keys about half are free at most.
local function forgetFreeKeys()
  for _, key in ipairs(call('HRANDFIELD', UNIQUE_KEYS, ${KEYS_LOOKED_AT})) do
    if not holderOf(key) then call('HDEL', UNIQUE_KEYS, key) end
  end
end
`;
