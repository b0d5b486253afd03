import { defineScript, type Script } from '../script.ts';
import { ended } from './ended.ts';
import { places } from './places.ts';
import { prelude } from './prelude.ts';

const redrive = `
local request = cmsgpack.unpack(ARGV[1])
local tags, ids, lanes, seen, next = unpack(request)
local kept, answers, writes, pushes = readAll(RECORD, ids), {}, {}, {}
local stale = {}
for index = 1, #ids do
  local id = ids[index]
  if kept[index] ~= seen[index] then answers[index] = 'x'
  else
    local lane = lanes[index]
    answers[index] = 'r'
    takeFromEnded(id, kept[index])
    writes[#writes + 1] = id
    writes[#writes + 1] = next[index]
    if not hasStack(next[index]) then stale[#stale + 1] = id end
    pushes[lane] = pushes[lane] or {}
    pushes[lane][#pushes[lane] + 1] = id
  end
end
many('HSET', RECORD, writes)
many('HDEL', STACKS, stale)
for lane, push in pairs(pushes) do pushBack(laneKey(lane), tags[lane], push) end
writeCounts()
return table.concat(answers)
`;

const discard = `
local ids = cmsgpack.unpack(ARGV[1])
local bodies, kept, answers, gone, seen = readAll(BODY, ids), readAll(RECORD, ids), {}, {}, {}
for index = 1, #ids do
  local id, record = ids[index], kept[index]
  local state = record and sub(record, 1, 1) or 'w'
  if not bodies[index] or seen[id] then answers[index] = 'g'
  elseif state == 'w' or state == 'd' or state == 'r' then answers[index] = 'r'
  else
    answers[index] = 'd'
    seen[id] = true
    takeFromEnded(id, record)
    gone[#gone + 1] = id
  end
end
forget(gone, gone)
writeCounts()
return table.concat(answers)
`;

/**
 * Sends dead letters back to their lanes as core made them, each only if its record is still the one that core saw;
 * `x` for one that changed meanwhile.
 */
export const redriveScript: Script = defineScript(prelude, ended, places, redrive);

/** Forgets ended runs for good. */
export const discardScript: Script = defineScript(prelude, ended, discard);
