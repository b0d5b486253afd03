import { defineScript, type Script } from '../store/script.ts';
import { concurrency } from './library/concurrency.ts';
import { ended } from './library/ended.ts';
import { places } from './library/places.ts';
import { prelude } from './library/prelude.ts';

const redrive = `
local request = cmsgpack.unpack(ARGV[3])
local tags, ids, lanes, seen, next = unpack(request)
checkLanes()
local kept, answers, writes, pushes = readAll(RECORD, ids), {}, {}, {}
local stale = {}
for index = 1, #ids do
  local id, old = ids[index], kept[index]
  if old ~= seen[index] then answers[index] = 'x'
  else
    local lane, new = lanes[index], next[index]
    if isNotedRecord(old) then new = withFlags(new, flagsOf(new) + 32) end
    answers[index] = 'r'
    takeFromEnded(id, old)
    writes[#writes + 1] = id
    writes[#writes + 1] = new
    if not hasStack(new) then stale[#stale + 1] = id end
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
local ids = cmsgpack.unpack(ARGV[3])
local bodies, kept, answers, gone, seen = readAll(BODY, ids), readAll(RECORD, ids), {}, {}, {}
for index = 1, #ids do
  local id, record = ids[index], kept[index]
  local state = record and sub(record, 1, 1) or 'w'
  if not bodies[index] or seen[id] then answers[index] = 'g'
  elseif #state == 0 or not find('CFXSDL', state, 1, true) then answers[index] = 'r'
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

const setAsideLeased = `
local ids, why = cmsgpack.unpack(ARGV[3]), ARGV[4]
writeWithoutMemory()
for index = 1, #ids do
  local id = ids[index]
  local body = call('HGET', BODY, id)
  if call('ZREM', LEASES, id) == 1 then
    isHeldUnknown = true
    setAside(id, body and laneOf(body) or '', why)
  end
end
writeHeld()
writeCounts()
return #ids
`;

/**
 * Sends dead letters back to their lanes as core made them, each only if its record is still the one that core saw;
 * `x` for one that changed meanwhile.
 */
export const redriveScript: Script = defineScript(prelude, ended, places, redrive);

/** Forgets ended runs for good. */
export const discardScript: Script = defineScript(prelude, ended, discard);

/** Sets started runs aside that we could not read. */
export const setAsideScript: Script = defineScript(prelude, ended, concurrency, setAsideLeased);
