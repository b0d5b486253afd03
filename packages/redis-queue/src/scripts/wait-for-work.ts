import { SCHEDULED_ENTRY } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { fieldPast } from './lua.ts';

const nextDue = String.raw`
local tags = cmsgpack.unpack(ARGV[1])
local next = -1
for index = 1, #tags do
  local tag = tags[index]
  local from, to = '[' .. tag .. '\0', '(' .. tag .. '\1'
  if call('LLEN', laneKey(index)) > 0 or call('ZLEXCOUNT', FRONT, from, to) > 0 then return { now, now } end
  local first = call('ZRANGEBYLEX', SCHEDULED, from, to, 'LIMIT', 0, 1)[1]
  local due = first and tonumber(sub(first, ${fieldPast('tag', SCHEDULED_ENTRY, 'runAt')}))
  if due and (next < 0 or due < next) then next = due end
end
return { now, next }
`;

/** Whether lanes have work now, or when the next of their scheduled runs is due. */
export const nextDueScript: Script = composeScript({ library: [basics], main: nextDue });
