import { HOLD } from '../record/layout.ts';
import { HOLD_REQUEST } from '../record/requests.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { holds } from './library/holds.ts';
import { answer, digits, field } from './lua.ts';

/** Every hold that is kept, without those that have ended, which are removed. */
const readHolds = `
checkRights()
writeWithoutMemory()
local kept, flat, ended, isChanged = {}, call('HGETALL', HOLDS), {}, false
for index = 1, #flat, 2 do
  if hasHoldEnded(flat[index + 1]) then ended[#ended + 1] = flat[index] else kept[flat[index]] = flat[index + 1] end
end
many('HDEL', HOLDS, ended)
`;

// A hold replaces another of the same lane and source, unless that is to be kept and ends later.
const hold = `
${readHolds}
local function outlasts(present, new)
  local ends = sub(present, ${field(HOLD, 'until')})
  return ends == NO_END or ends > sub(new, ${field(HOLD, 'until')})
end
local function newHold(until_, forMs, probeMs, notes)
  local ends = NO_END
  if until_ >= 0 or forMs >= 0 then ends = dueText(math.max(until_, forMs >= 0 and now + forMs or 0)) end
  return NOW .. ends .. string.format(${digits(HOLD, 'probeMs')}, probeMs) .. notes
end
for _, request in ipairs(cmsgpack.unpack(ARGV[1])) do
  local ${HOLD_REQUEST.map((name) => (name === 'until' ? 'until_' : name)).join(', ')} = unpack(request)
  local new = newHold(until_, forMs, probeMs, notes)
  if not (keepLonger == 1 and kept[field] and outlasts(kept[field], new)) then
    call('HSET', HOLDS, field, new)
    kept[field], isChanged = new, true
  end
end
if isChanged then call('PUBLISH', HOLDS_CHANGED, '') end
return 1
`;

const resume = `
${readHolds}
local answers, gone = {}, {}
for index, fields in ipairs(cmsgpack.unpack(ARGV[1])) do
  answers[index] = ${answer('resume', 'none')}
  for _, one in ipairs(fields) do
    if kept[one] then
      answers[index], kept[one], gone[#gone + 1] = ${answer('resume', 'resumed')}, nil, one
    end
  end
end
many('HDEL', HOLDS, gone)
if #gone > 0 then call('PUBLISH', HOLDS_CHANGED, '') end
return table.concat(answers)
`;

/** Puts lanes on hold, and notifies those that wait for work. */
export const holdScript: Script = composeScript({ library: [basics, holds], main: hold });

/** Ends holds, and notifies those that wait for work. */
export const resumeScript: Script = composeScript({ library: [basics, holds], main: resume });

/** Returns the clock and all holds, each after its field. */
export const holdsScript: Script = composeScript({
  library: [basics],
  main: "return { now, call('HGETALL', HOLDS) }",
});
