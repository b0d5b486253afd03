import { END_STATES, RECORD } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { ended } from './library/ended.ts';
import { answer, field, letter } from './lua.ts';

const discard = `
checkRights()
local ids = cmsgpack.unpack(ARGV[3])
local bodies, kept, answers, gone, seen = readAll(BODY, ids), readAll(RECORD, ids), {}, {}, {}
for index = 1, #ids do
  local id, record = ids[index], kept[index]
  local state = record and sub(record, ${field(RECORD, 'state')}) or ${letter('submitted')}
  if not bodies[index] or seen[id] then answers[index] = ${answer('discard', 'gone')}
  elseif #state == 0 or not find(${letter(...END_STATES)}, state, 1, true) then answers[index] = ${answer('discard', 'refused')}
  else
    answers[index] = ${answer('discard', 'discarded')}
    seen[id] = true
    takeFromEnded(id, record)
    gone[#gone + 1] = id
  end
end
forget(gone, gone)
writeCounts()
return table.concat(answers)
`;

/** Forgets ended runs. */
export const discardScript: Script = composeScript({ library: [basics, ended], main: discard });
