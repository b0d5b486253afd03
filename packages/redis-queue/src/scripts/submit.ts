import { defineScript, type Script } from '../script.ts';
import { places } from './places.ts';
import { prelude } from './prelude.ts';

const main = String.raw`
local request = cmsgpack.unpack(ARGV[1])
local tags, ids, bodies, lanes, dues = unpack(request)
local known, seen, answers = readAll(BODY, ids), {}, {}
local written, records, pushes, schedules, created = {}, {}, {}, {}, 0

local function dueOf(index)
  if #dues == 0 then return now end
  return math.max(dues[index * 2 - 1], now + dues[index * 2])
end

for index = 1, #ids do
  local id = ids[index]
  if known[index] or seen[id] then answers[index] = 'e'
  else
    seen[id] = true
    created = created + 1
    answers[index] = 'c'
    written[created * 2 - 1], written[created * 2] = id, NOW .. bodies[index]
    local lane, due = lanes[index] or lanes[1], dueOf(index)
    if due > now then
      local text = string.format('%013.0f', math.min(math.ceil(due), 9999999999999))
      local record = 'd00000000000' .. NOW .. NEVER .. NEVER .. NEVER .. NEVER .. text .. NOWHERE .. '\0\0'
      schedules[#schedules + 1] = { lane, id, record }
    else
      local push = pushes[lane] or {}
      pushes[lane] = push
      push[#push + 1] = id
    end
  end
end

many('HSET', BODY, written)
putOnSchedule(schedules, tags, records)
many('HSET', RECORD, records)
if created > 0 then many('SADD', LANES, tags)
else
  -- What another connection wrote is not waited for by WAITAOF, unless this one writes after it.
  writeWithoutMemory()
  call('HINCRBY', META, 'submitted', 0)
end

-- Ids that cancelled runs left at the head of a lane: dropped here too, for a lane that nobody claims from.
local function dropGhosts(key, tag, most)
  for _ = 1, most do
    local head = call('LINDEX', key, 0)
    local field = head and tag .. '\0' .. head
    local left = field and tonumber(call('HGET', GHOSTS, field) or 0) or 0
    if left == 0 then return end
    call('LPOP', key)
    if left == 1 then call('HDEL', GHOSTS, field) else call('HINCRBY', GHOSTS, field, -1) end
    count('ghosts', -1)
  end
end

local hasGhosts = call('EXISTS', GHOSTS) == 1
for lane, push in pairs(pushes) do
  if hasGhosts then dropGhosts(laneKey(lane), tags[lane], #push * 2) end
  pushBack(laneKey(lane), tags[lane], push)
end
count('submitted', created)
writeCounts()
return table.concat(answers)
`;

/** Keeps new runs. A waiting run that was never claimed has no record yet: its body says all. */
export const submitScript: Script = defineScript(prelude, places, main);
