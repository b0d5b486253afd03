-- Which run has a unique key: the hash UNIQUE_KEYS has for each key until when, a space and the id. Whether the run still has it is seen at
-- the run, by `hasKey` as core's kit defines it, so that claims and settlements do not know of keys.
--
-- @use basics

-- A run that waits for its first claim has no record.
local function isWaiting(id)
  local record = call('HGET', RECORD, id)
  if not record then return call('HEXISTS', BODY, id) == 1 end
  local state = fieldOf(record, Record.state)
  return isRecord(record) and (state == State.submitted or state == State.scheduled)
end

local function hasRedrives(record)
  local from = zeroAfter(record, Record.length + 1) + 1
  return find(sub(record, from, zeroAfter(record, from) - 1), '"redrives":[1-9]') ~= nil
end

local function hasRun(id, kind)
  local record = call('HGET', RECORD, id)
  if not record then return call('HEXISTS', BODY, id) == 1 end
  if not isRecord(record) or fieldOf(record, Record.epoch) >= Record.epoch.nines then return false end
  local state = fieldOf(record, Record.state)
  local isStarted = state == State.started
  if not isStarted and state ~= State.submitted and state ~= State.scheduled then return false end
  if kind == KeyUntil.started and (isStarted or epochOf(record) ~= Record.epoch.zeros) then return false end
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

-- Each submission adds one key at most and looks at several, so that of many keys about half are free at most.
local function forgetFreeKeys()
  for _, key in ipairs(call('HRANDFIELD', UNIQUE_KEYS, Limit.keysLookedAt)) do
    if not holderOf(key) then call('HDEL', UNIQUE_KEYS, key) end
  end
end
