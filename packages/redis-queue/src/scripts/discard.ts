import { steps } from '../operations/scripts.ts';
import { STEP_REFUSED } from '../operations/step.ts';
import { END_STATES, RECORD } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { ended } from './library/ended.ts';
import { answer, field, letter } from './lua.ts';

const discard = `
checkRights()
local ids, endedBefore, step = unpack(cmsgpack.unpack(ARGV[3]))
local figures = #step > 0 and openStep(step)
if #step > 0 and not figures then return '${STEP_REFUSED}' end
local bodies, kept, answers, gone, seen = readAll(BODY, ids), readAll(RECORD, ids), {}, {}, {}
for index = 1, #ids do
  local id, record = ids[index], kept[index]
  local state = record and sub(record, ${field(RECORD, 'state')}) or ${letter('submitted')}
  if not bodies[index] or seen[id] then answers[index] = ${answer('discard', 'gone')}
  elseif #state == 0 or not find(${letter(...END_STATES)}, state, 1, true) or endedAt(record) >= endedBefore then answers[index] = ${answer('discard', 'refused')}
  else
    answers[index] = ${answer('discard', 'discarded')}
    seen[id] = true
    takeFromEnded(id, record, laneOf(bodies[index]))
    gone[#gone + 1] = id
  end
end
writeGroups()
forget(gone, gone)
if figures then closeStep(step, figures, #gone, #ids - #gone) end
writeCounts()
return table.concat(answers)
`;

/** Forgets ended runs. */
export const discardScript: Script = composeScript({ library: [basics, ended, steps], main: discard });
