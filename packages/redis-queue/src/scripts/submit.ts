import { APART_TEXTS } from '../record/layout.ts';
import { defineScript, type Script } from '../store/store.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { ended } from './library/ended.ts';
import { lanes } from './library/lanes.ts';
import { prelude } from './library/prelude.ts';
import { answer, firstRecord, letter } from './lua.ts';

const main = `
checkLanes()
local request = cmsgpack.unpack(ARGV[3])
local tags, ids, bodies, lanes, dues = unpack(request)
local hasKept = call('EXISTS', AWAITED, NAMES) > 0
if hasKept then
  -- First a write that a server without memory refuses: after a deletion it would accept all later writes.
  call('HINCRBY', META, 'created', 0)
  expireAwaited()
  forgetNames(0)
end
local known, seen, answers = readAll(BODY, ids), {}, {}
local written, records, pushes, schedules, created = {}, {}, {}, {}, 0
local large, nextLarge = {}, 4

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
    if isLarge then
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

/** Stores new runs. A run that waits for its first claim has no record: its body is enough. */
export const submitScript: Script = defineScript(prelude, ended, cancelledInLane, lanes, main);
