import { BODY, FRONT_ENTRY, RECORD, SCHEDULED_ENTRY } from '../../record/layout.ts';
import { LANE_FIGURES } from '../../record/requests.ts';
import { composeScript, type Script } from '../../store/store.ts';
import { basics } from '../library/basics.ts';
import { cancelledInLane } from '../library/cancelled-in-lane.ts';
import { behind, field, fieldPast, isNotIn } from '../lua.ts';

// Every figure is that of an index, so that a call costs the same however many runs there are.
const counts = String.raw`
-- How many ids at the head of a lane are looked at: those of cancelled runs are passed by.
local MAX_LOOK = 1000
local tags, figures = cmsgpack.unpack(ARGV[1]), {}

local function dueOf(id)
  local body, record = call('HGET', BODY, id), call('HGET', RECORD, id)
  if record and not isShort(record) and isRecord(record) then return tonumber(sub(record, ${field(RECORD, 'runAt')})) end
  return body and tonumber(sub(body, ${field(BODY, 'createdAt')})) or nil
end

-- The id that a claim would take first. Where several ids of a run are in the list, the last one is its own.
local function firstIdOf(tag, key, leftOver)
  local front = call('ZRANGEBYLEX', FRONT, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, 1)[1]
  if front then return sub(front, #tag + 1 + ${behind(FRONT_ENTRY)}) end
  if leftOver == 0 then return call('LINDEX', key, 0) end
  local seen = {}
  for _, id in ipairs(call('LRANGE', key, 0, math.min(leftOver, MAX_LOOK))) do
    local left = seen[id] or countOf(call('HGET', CANCELLED_IN_LANE, tag .. '\0' .. id))
    if left == 0 then return id end
    seen[id] = left - 1
  end
end

for index = 1, #tags do
  local tag, key = tags[index], laneKey(index)
  local from, to = '[' .. tag .. '\0', '(' .. tag .. '\1'
  -- Another program may use the key; the other lanes are counted all the same.
  local length = redis.pcall('LLEN', key)
  local isLane = type(length) == 'number'
  local leftOver = isLane and cancelledInLaneOf(tag) or 0
  local ready = isLane and math.max(0, length - leftOver) or 0
  local parked = call('ZLEXCOUNT', PARKED_BY_LANE, from, to)
  local front = call('ZLEXCOUNT', FRONT, from, to)
  local waiting = ready + front + parked
  local scheduled = call('ZLEXCOUNT', SCHEDULED, from, to)
  local due = call('ZLEXCOUNT', SCHEDULED, from, '(' .. tag .. '\0' .. dueText(now + 1))
  local id = ready + front > 0 and firstIdOf(tag, key, leftOver) or nil
  local claimableSince = id and dueOf(id) or -1
  if due > 0 then
    local first = call('ZRANGEBYLEX', SCHEDULED, from, to, 'LIMIT', 0, 1)[1]
    local runAt = tonumber(sub(first, ${fieldPast('tag', SCHEDULED_ENTRY, 'runAt')}))
    if runAt and (claimableSince < 0 or runAt < claimableSince) then claimableSince = runAt end
  end
  figures[index] = { ${LANE_FIGURES.join(', ')} }
end
return { now, figures }
`;

// Leases have no index by lane, but the records of started runs have a hash of theirs.
const started = `
local MAX_LOOK = 5000
local ids, byHash, flat = call('ZRANGEBYSCORE', LEASES, '-inf', '(+inf', 'LIMIT', 0, MAX_LOOK), {}, {}
for _, record in ipairs(readAll(RECORD, ids)) do
  if record and not (${isNotIn('record', 'started')}) and isRecord(record) then
    local hash = startedLaneHashOf(record)
    byHash[hash] = (byHash[hash] or 0) + 1
  end
end
for hash, count in pairs(byHash) do
  flat[#flat + 1] = hash
  flat[#flat + 1] = count
end
return { #ids < MAX_LOOK and 1 or 0, flat }
`;

/** Counts what waits in each of these lanes, and returns the clock. */
export const laneCountsScript: Script = composeScript({ library: [basics, cancelledInLane], main: counts });

/** Counts started runs by the hash of their lane, and returns whether these are all. */
export const startedByLaneScript: Script = composeScript({ library: [basics], main: started });
