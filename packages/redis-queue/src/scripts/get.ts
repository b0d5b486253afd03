import { defineScript, type Script } from '../store/script.ts';
import { ended } from './library/ended.ts';
import { ghosts } from './library/ghosts.ts';
import { prelude } from './library/prelude.ts';
import { readRuns } from './library/read-runs.ts';

const get = `
local ids, mode, collect = unpack(cmsgpack.unpack(ARGV[3]))
if call('EXISTS', AWAITED) == 1 then expireAwaited() end
if mode == 'none' then
  local awaited = {}
  for index = 1, #ids do
    if call('ZSCORE', AWAITED, ids[index]) then awaited[#awaited + 1] = ids[index] end
  end
  keepUnawaited(awaited)
  writeCounts()
  return { now, false }
end
local read = readRuns(ids, nil, mode)
if collect == 'collect' then
  local awaited, seen = {}, {}
  for index = 1, read[1] do
    local id, record = ids[index], read[3][index]
    if record and isNotedRecord(record) and not seen[id] and call('ZSCORE', AWAITED, id) then awaited[#awaited + 1] = id end
    seen[id] = true
  end
  keepUnawaited(awaited)
end
writeCounts()
return { now, read }
`;

const look = String.raw`
local tags = cmsgpack.unpack(ARGV[1])
local next = -1
for index = 1, #tags do
  local tag = tags[index]
  local from, to = '[' .. tag .. '\0', '(' .. tag .. '\1'
  if call('LLEN', laneKey(index)) > 0 or call('ZLEXCOUNT', FRONT, from, to) > 0 then return { now, now } end
  local first = call('ZRANGEBYLEX', SCHEDULED, from, to, 'LIMIT', 0, 1)[1]
  local due = first and tonumber(sub(first, #tag + 2, #tag + 17))
  if due and (next < 0 or due < next) then next = due end
end
return { now, next }
`;

const pageOfDead = `
local from = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local ids = call('ZRANGEBYLEX', DEAD, from, '+', 'LIMIT', 0, 1000)
local others = -call('ZCARD', DEAD)
for _, ended in ipairs(call('HMGET', META, 'F', 'S', 'L')) do others = others + (ended or 0) end
return { ids, others }
`;

const scan = `
local reply = call('HSCAN', BODY, ARGV[1], 'COUNT', 500)
local pairs_, ids, found = reply[2], {}, {}
for index = 1, #pairs_ / 2 do ids[index] = pairs_[index * 2 - 1] end
local records = readAll(RECORD, ids)
for index = 1, #ids do
  local state = records[index] and sub(records[index], 1, 1) or 'w'
  if state == ARGV[2] then found[#found + 1] = ids[index] end
end
return { reply[1], found }
`;

const attend = `
local worker, ttlMs, lanes = unpack(cmsgpack.unpack(ARGV[3]))
writeWithoutMemory()
if ttlMs > 0 then call('HSET', ATTENDANCES, worker, cmsgpack.pack({ instantOf(now + ttlMs), lanes }))
elseif ttlMs == 0 then call('HDEL', ATTENDANCES, worker) end
local attended, over, kept = {}, {}, call('HGETALL', ATTENDANCES)
for index = 1, #kept, 2 do
  local isOne, one = pcall(cmsgpack.unpack, kept[index + 1])
  if not isOne or type(one) ~= 'table' or type(one[2]) ~= 'table' or (tonumber(one[1]) or 0) <= now then
    over[#over + 1] = kept[index]
  else
    for _, tag in ipairs(one[2]) do attended[tag] = true end
  end
end
many('HDEL', ATTENDANCES, over)
-- Nobody else may come by for a while.
expireAwaited()
forgetNames(0)
local unattended = {}
for _, tag in ipairs(call('SMEMBERS', LANES)) do
  if not attended[tag] then unattended[#unattended + 1] = tag end
end
writeCounts()
return unattended
`;

const depths = String.raw`
local tags, depths, COUNTED = cmsgpack.unpack(ARGV[3]), {}, 10000
writeWithoutMemory()
for index = 1, #tags do
  local tag, key = tags[index], laneKey(index)
  -- Something else may be where the lane is; the others are counted all the same.
  local isLane = type(redis.pcall('LLEN', key)) == 'number'
  if isLane and call('HLEN', GHOSTS) > 0 then dropMostGhosts(key, tag) end
  local ready = isLane and call('LLEN', key) - ghostsOf(tag) or 0
  local front = call('ZLEXCOUNT', FRONT, '[' .. tag .. '\0', '(' .. tag .. '\1')
  local due = call('ZLEXCOUNT', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\0' .. dueText(now + 1))
  depths[index] = math.min(math.max(0, ready) + front + due, COUNTED)
  -- A lane where nothing is kept is one no more.
  if depths[index] == 0 and call('EXISTS', key) == 0
    and #call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, 1) == 0 then
    call('SREM', LANES, tag)
  end
end
writeCounts()
return depths
`;

/** Bodies and records as they are together, in parts. */
export const getScript: Script = defineScript(prelude, ended, readRuns, get);

/** Whether lanes have work now, or when the next of their scheduled runs is due. */
export const lookScript: Script = defineScript(prelude, look);

/** The next thousand dead letters after an id, by id, and how many disposable ones stand elsewhere. */
export const pageOfDeadScript: Script = defineScript(prelude, pageOfDead);

/** Hundreds of runs from a cursor on: the ids of those in a state. (Lua would compare ids by the server's locale.) */
export const scanScript: Script = defineScript(prelude, scan);

/** Notes that a worker is alive, and gives the lanes that none works on. */
export const attendScript: Script = defineScript(prelude, ended, attend);

/** How many runs wait in each of these lanes. */
export const depthsScript: Script = defineScript(prelude, ended, ghosts, depths);
