import { MAX_OPERATIONS } from '@retry/core/broker/kit';
import { basics } from '../scripts/library/basics.ts';
import { composeScript, type Script } from '../store/store.ts';
import { STEP } from './step.ts';

/** How many operations a partition has figures of, at most: more than are listed. */
const MAX_COUNTED = 3 * MAX_OPERATIONS;

/**
 * Operations on dead letters: the hash `OPERATIONS` has their figures by id, as JSON that scripts read and write. The first partition
 * also has what was asked for in the hash `OPERATION_REQUESTS`, which scripts do not read: by id the request, by a zero character and
 * the id the ids of its filter. The other partitions count their own runs.
 */
export const steps: string = `
-- The figures of the operation, if the step is accepted: once, while the operation is running, with its latest epoch.
local function openStep(step)
  local ${STEP.join(', ')} = unpack(step)
  local kept = call('HGET', OPERATIONS, operation)
  local figures = kept and cjson.decode(kept)
  if not figures and isHome == 0 then
    figures = { state = 'running', createdAt = now, epoch = 0, stepped = 0, done = 0, skipped = 0 }
  end
  if not figures or figures.state ~= 'running' or epoch <= figures.stepped or epoch < figures.epoch then return nil end
  if isHome == 1 and epoch > figures.epoch then return nil end
  return figures
end

-- Forgets the figures of the oldest operation, where there are too many.
local function forgetCounted()
  if call('HLEN', OPERATIONS) <= ${MAX_COUNTED} then return end
  local all, oldest, at = call('HGETALL', OPERATIONS), nil, math.huge
  for index = 1, #all, 2 do
    local createdAt = cjson.decode(all[index + 1]).createdAt
    if createdAt < at then oldest, at = all[index], createdAt end
  end
  call('HDEL', OPERATIONS, oldest)
end

-- Counts what a step did.
local function closeStep(step, figures, done, others)
  local ${STEP.join(', ')} = unpack(step)
  figures.stepped, figures.updatedAt = epoch, now
  figures.done, figures.skipped = figures.done + done, figures.skipped + skipped + others
  if isHome == 1 then
    figures.progress = progress
    if isLast == 1 then figures.state, figures.endedAt = 'done', now end
  end
  call('HSET', OPERATIONS, operation, cjson.encode(figures))
  if isHome == 0 then forgetCounted() end
end
`;

const put = `
local id, request, ids = unpack(cmsgpack.unpack(ARGV[1]))
checkRights()
if call('HEXISTS', OPERATIONS, id) == 1 then return 'exists' end
local all, active, ended = call('HGETALL', OPERATIONS), 0, {}
for index = 1, #all, 2 do
  local figures = cjson.decode(all[index + 1])
  if figures.endedAt then ended[#ended + 1] = { figures.createdAt, all[index] } else active = active + 1 end
end
if active >= ${MAX_OPERATIONS} then return 'full' end
table.sort(ended, function(one, other)
  if one[1] ~= other[1] then return one[1] > other[1] end
  return one[2] > other[2]
end)
for index = ${MAX_OPERATIONS + 1}, #ended do
  call('HDEL', OPERATIONS, ended[index][2])
  call('HDEL', OPERATION_REQUESTS, ended[index][2], '\\0' .. ended[index][2])
end
call('HSET', OPERATION_REQUESTS, id, request)
if ids ~= '' then call('HSET', OPERATION_REQUESTS, '\\0' .. id, ids) end
call('HSET', OPERATIONS, id, cjson.encode({
  state = 'running', createdAt = now, updatedAt = now, epoch = 0, stepped = 0, done = 0, skipped = 0,
}))
return 'created'
`;

const read = `
local flat = {}
for _, id in ipairs(cmsgpack.unpack(ARGV[1])) do
  flat[#flat + 1] = id
  flat[#flat + 1] = call('HGET', OPERATIONS, id)
end
if #ARGV > 1 then flat = call('HGETALL', OPERATIONS) end
local ids, figures = {}, {}
for index = 1, #flat, 2 do
  if flat[index + 1] then ids[#ids + 1], figures[#figures + 1] = flat[index], flat[index + 1] end
end
return { ids, figures, readAll(OPERATION_REQUESTS, ids) }
`;

// The oldest running one that no other carrier holds.
const claim = `
local carrier, leaseMs, wanted = unpack(cmsgpack.unpack(ARGV[1]))
checkRights()
local all, id, figures = call('HGETALL', OPERATIONS), nil, nil
for index = 1, #all, 2 do
  local one = cjson.decode(all[index + 1])
  local isFree = one.carrier == carrier or (one.carriedUntil or 0) <= now
  local isOlder = not figures or one.createdAt < figures.createdAt or (one.createdAt == figures.createdAt and all[index] < id)
  if one.state == 'running' and isFree and (wanted == '' or wanted == all[index]) and isOlder then id, figures = all[index], one end
end
if not figures then return false end
figures.epoch, figures.carrier, figures.carriedUntil, figures.updatedAt = figures.epoch + 1, carrier, now + leaseMs, now
local text = cjson.encode(figures)
call('HSET', OPERATIONS, id, text)
return { now, text, call('HGET', OPERATION_REQUESTS, id), call('HGET', OPERATION_REQUESTS, '\\0' .. id), id }
`;

const change = `
local id, to = unpack(cmsgpack.unpack(ARGV[1]))
checkRights()
local kept = call('HGET', OPERATIONS, id)
if not kept then return 'gone' end
local figures = cjson.decode(kept)
if figures.endedAt then return 'refused' end
figures.state, figures.updatedAt = to, now
if to == 'cancelled' then figures.endedAt = now end
call('HSET', OPERATIONS, id, cjson.encode(figures))
return 'changed'
`;

/** Keeps a new operation, and forgets the oldest of those that have ended. */
export const putScript: Script = composeScript({ library: [basics], main: put });

/** Returns the ids, the figures and the requests of some operations, or with a second argument of all. */
export const readScript: Script = composeScript({ library: [basics], main: read });

/** Gives an operation to a carrier; returns the clock, the figures, the request, the ids of its filter, and its id. */
export const claimScript: Script = composeScript({ library: [basics], main: claim });

/** Pauses, resumes or cancels an operation. */
export const changeScript: Script = composeScript({ library: [basics], main: change });
