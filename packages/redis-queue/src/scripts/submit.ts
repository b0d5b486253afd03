import { APART_TEXTS } from '../record/layout.ts';
import { defineScript, type Script } from '../store/script.ts';
import { ended } from './library/ended.ts';
import { ghosts } from './library/ghosts.ts';
import { places } from './library/places.ts';
import { prelude } from './library/prelude.ts';
import { answer, firstRecord, letter } from './lua.ts';

const main = `
checkLanes()
local request = cmsgpack.unpack(ARGV[3])
local tags, ids, bodies, lanes, dues = unpack(request)
local hasKept = call('EXISTS', AWAITED, NAMES) > 0
if hasKept then
  -- First a write that a server without memory refuses: nothing is submitted there, though what is over would go.
  call('HINCRBY', META, 'submitted', 0)
  expireAwaited()
  forgetNames(0)
end
local known, seen, answers = readAll(BODY, ids), {}, {}
local written, records, pushes, schedules, created = {}, {}, {}, {}, 0
local large, nextLarge = {}, 4

local names, oldNames = {}, {}
if hasKept then
  for from = 1, #ids, MOST do
    local part = call('ZMSCORE', NAMES, unpack(ids, from, math.min(from + MOST - 1, #ids)))
    for index = 1, #part do names[from + index - 1] = part[index] end
  end
end

-- Whether the id is taken by a run, or by the name of a forgotten one.
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

-- Ids that cancelled runs left at the head of a lane: dropped here too, for a lane that nobody claims from.
local function dropGhosts(key, tag, most)
  for _ = 1, most do
    local head = call('LINDEX', key, 0)
    if not head or not isGhost(tag, head) then return end
    call('LPOP', key)
  end
end

if next(pushes) and call('EXISTS', GHOSTS) == 1 then
  -- As above: a server without memory refuses this one.
  call('HINCRBY', META, 'submitted', 0)
  for lane, push in pairs(pushes) do
    dropGhosts(laneKey(lane), tags[lane], #push * 2)
    dropMostGhosts(laneKey(lane), tags[lane])
  end
end

-- Where they are to wait comes first: a run that has a body exists, and one that stands nowhere would be lost. But what
-- writes bodies is tried before: an id without a body, met by a claim, would be set aside.
if created > 0 then call('HSET', META, 'submittedAt', NOW) end
putOnSchedule(schedules, tags, records)
local wasEmpty = {}
for lane, push in pairs(pushes) do
  if many('RPUSH', laneKey(lane), push) == #push then wasEmpty[#wasEmpty + 1] = tags[lane] end
end
many('HSET', LARGE, large)
many('HSET', RECORD, records)
many('HSET', BODY, written)
count('submitted', created)
writeCounts()
many('ZREM', NAMES, oldNames)
if created == 0 then
  -- What another connection wrote is not waited for by WAITAOF, unless this one writes after it.
  writeWithoutMemory()
  call('HINCRBY', META, 'submitted', 0)
end
for index = 1, #wasEmpty do wake(wasEmpty[index]) end
return table.concat(answers)
`;

/** Keeps new runs. A waiting run that was never claimed has no record yet: its body says all. */
export const submitScript: Script = defineScript(prelude, ended, ghosts, places, main);
