import { APART_TEXTS, BODY } from '../record/layout.ts';
import { PAYLOADS_FOLLOW } from '../record/requests.ts';
import { make } from '../store/compose.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { ended } from './library/ended.ts';
import { lanes } from './library/lanes.ts';
import { answer, firstRecord, instantText, letter } from './lua.ts';

/** Lua's unpack takes a few thousand values at most. */
const MAX_USUAL = 2_000;

/**
 * Arguments: the two of retention, a request, then id and body of each run, then the payloads that are kept apart, in the order of
 * their runs, unless they follow in the same transaction. The request is empty, or `PAYLOADS_FOLLOW`, for runs of one lane that are
 * due; otherwise it is packed: the tags of the lanes, for each run the number of its lane (one number, if all share it), for each run
 * the two values of when it is due (none, if all are due), how many runs there are, and whether payloads follow.
 *
 * Where payloads follow, `HSETNX` writes them: the payload of a run that exists is kept. So what another submission may have left
 * under the id of a new run, because the server refused it half-way, is removed here.
 *
 * The usual way comes first and in line: runs of one lane that are due, while nothing else is to be looked after. It makes no
 * function. Where it does not apply, it ends before it has written anything, or takes it back, and `submitRare` is made and called.
 */
export const submitRare: string = `
local isPlain = ARGV[3] == '' or ARGV[3] == '${PAYLOADS_FOLLOW}'
local request = isPlain and { { sub(KEYS[FIXED + 1], #BODY + 2) }, { 1 }, {}, (#ARGV - 3) / 2 } or cmsgpack.unpack(ARGV[3])
local tags, lanes, dues, total, follows = unpack(request)
local doPayloadsFollow = ARGV[3] == '${PAYLOADS_FOLLOW}' or follows == 1
local ids, bodies = {}, {}
for index = 1, total do ids[index], bodies[index] = ARGV[2 + index * 2], ARGV[3 + index * 2] end
checkRights()
checkLanes()
if doPayloadsFollow then call('HLEN', LARGE) end
local hasKept = call('EXISTS', AWAITED, NAMES) > 0
if hasKept then
  -- First a write that a server without memory refuses: after a deletion it would accept all later writes.
  call('HINCRBY', META, 'created', 0)
  expireAwaited()
  forgetNames(0)
end
local known, seen, answers = readAll(BODY, ids), {}, {}
local written, records, pushes, schedules, created = {}, {}, {}, {}, 0
local large, nextLarge, stale = {}, 4 + total * 2, {}

local names, oldNames = {}, {}
if hasKept then
  for from = 1, #ids, MAX_UNPACKED do
    local part = call('ZMSCORE', NAMES, unpack(ids, from, math.min(from + MAX_UNPACKED - 1, #ids)))
    for index = 1, #part do names[from + index - 1] = part[index] end
  end
end

-- Whether the id is that of a run, or the name of a forgotten one.
local function isTaken(index, id)
  if known[index] or seen[id] then return true end
  if not names[index] then return false end
  if tonumber(names[index]) > now then return true end
  oldNames[#oldNames + 1] = id
  return false
end

local function dueOf(index)
  if #dues == 0 then return now end
  return math.max(dues[index * 2 - 1], now + dues[index * 2])
end

for index = 1, #ids do
  local id, body = ids[index], NOW .. bodies[index]
  local isLarge = hasLargePayload(body)
  if isTaken(index, id) then answers[index] = ${answer('submit', 'exists')}
  else
    seen[id] = true
    created = created + 1
    answers[index] = ${answer('submit', 'created')}
    written[created * 2 - 1], written[created * 2] = id, body
    if isLarge and doPayloadsFollow then stale[#stale + 1] = '${APART_TEXTS.payload}' .. id
    elseif isLarge then
      large[#large + 1] = '${APART_TEXTS.payload}' .. id
      large[#large + 1] = ARGV[nextLarge]
    end
    local lane, due = lanes[index] or lanes[1], dueOf(index)
    if due > now then
      local record = ${firstRecord({
        state: letter('scheduled'),
        flags: 'freshFlags(body)',
        submittedAt: 'NOW',
        runAt: 'dueText(due)',
      })}
      schedules[#schedules + 1] = { lane, id, record }
    else
      local push = pushes[lane] or {}
      pushes[lane] = push
      push[#push + 1] = id
    end
  end
  if isLarge then nextLarge = nextLarge + 1 end
end

-- Removes the ids of cancelled runs at the head of a lane: no worker may claim from it.
local function removeCancelledAtHead(key, tag, most)
  for _ = 1, most do
    local head = call('LINDEX', key, 0)
    if not head or not takeCancelled(tag, head) then return end
    call('LPOP', key)
  end
end

if next(pushes) and call('EXISTS', CANCELLED_IN_LANE) == 1 then
  -- As above: a server without memory refuses this write.
  call('HINCRBY', META, 'created', 0)
  for lane, push in pairs(pushes) do
    removeCancelledAtHead(laneKey(lane), tags[lane], #push * 2)
    removeCancelled(laneKey(lane), tags[lane])
  end
end

-- The order of writes, so that a script that stops half-way loses no run:
-- 1. a write of the kind that bodies need, which fails where they would: a claim would quarantine an id without a body
-- 2. lanes and schedule: a run exists once it has a body, and one that is in neither would be lost
-- 3. records and texts, and the bodies last
if created > 0 then call('HSET', META, 'submittedAt', NOW) end
putOnSchedule(schedules, tags, records)
local wasEmpty = {}
for lane, push in pairs(pushes) do
  if many('RPUSH', laneKey(lane), push) == #push then wasEmpty[#wasEmpty + 1] = tags[lane] end
end
many('HDEL', LARGE, stale)
many('HSET', LARGE, large)
many('HSET', RECORD, records)
many('HSET', BODY, written)
count('created', created)
writeCounts()
many('ZREM', NAMES, oldNames)
if created == 0 then
  -- WAITAOF waits for the writes of another connection only if this one writes after them.
  writeWithoutMemory()
  call('HINCRBY', META, 'created', 0)
end
for index = 1, #wasEmpty do wake(wasEmpty[index]) end
return table.concat(answers)
`;

const main = `
local call, LANE, count = redis.call, KEYS[FIXED + 1], (#ARGV - 3) / 2
local doPayloadsFollow = ARGV[3] == '${PAYLOADS_FOLLOW}'
repeat
  if (ARGV[3] ~= '' and not doPayloadsFollow) or count > ${MAX_USUAL} then break end
  if call('EXISTS', CANCELLED_IN_LANE, AWAITED, NAMES) > 0 then break end
  local time = call('TIME')
  local NOW = ${instantText(BODY, 'createdAt', 'time')}
  local depth
  -- Fails before anything is written, if another program uses the key.
  if doPayloadsFollow then call('HLEN', LARGE) end
  if count == 1 then
    -- Not the order of submitRare: if the lane refuses the id, the body is taken back, and submitRare reports why.
    if redis.pcall('HSETNX', BODY, ARGV[4], NOW .. ARGV[5]) ~= 1 then break end
    if doPayloadsFollow then call('HDEL', LARGE, '${APART_TEXTS.payload}' .. ARGV[4]) end
    depth = redis.pcall('RPUSH', LANE, ARGV[4])
    if type(depth) ~= 'number' then
      call('HDEL', BODY, ARGV[4])
      break
    end
  else
    local ids, bodies, stale, areNew = {}, {}, {}, true
    for index = 1, count do
      local id = ARGV[2 + index * 2]
      if doPayloadsFollow then stale[index] = '${APART_TEXTS.payload}' .. id end
      ids[index], bodies[index * 2 - 1], bodies[index * 2] = id, id, NOW .. ARGV[3 + index * 2]
    end
    local known = call('HMGET', BODY, unpack(ids))
    for index = 1, count do areNew = areNew and not known[index] end
    if not areNew then break end
    -- The order of submitRare.
    call('HSET', META, 'submittedAt', NOW)
    if doPayloadsFollow then call('HDEL', LARGE, unpack(stale)) end
    depth = call('RPUSH', LANE, unpack(ids))
    if call('HSET', BODY, unpack(bodies)) < count then
      -- An id is among them twice.
      call('HDEL', BODY, unpack(ids))
      call('LTRIM', LANE, 0, -count - 1)
      break
    end
  end
  local wasEmpty = depth == count
  -- As text: Redis formats each number that a command gets, which takes as long as a short command.
  if count == 1 then count = '1' end
  call('HINCRBY', META, 'created', count)
  if wasEmpty then
    local tag, channel = string.sub(LANE, #BODY + 2), string.sub(BODY, (string.find(BODY, '{[^{]*$')), -5) .. 'wake:'
    call('SADD', LANES, tag)
    call('PUBLISH', channel .. tag, '')
  end
  return string.rep(${answer('submit', 'created')}, count)
until true
${make('submitRare')}
return submitRare()
`;

/** Stores new runs. A run that waits for its first claim has no record: its body is enough. */
export const submitScript: Script = composeScript({
  library: [],
  rare: [{ signature: 'submitRare()', library: [basics, ended, cancelledInLane, lanes], body: submitRare }],
  main,
});
