import { SCHEDULED_ENTRY } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { fieldPast } from './lua.ts';

// As a rule all lanes are empty and nothing is scheduled: a worker of a thousand tasks learns that by two commands.
const nextDue = String.raw`
local tags = cmsgpack.unpack(ARGV[1])
for from = FIXED + 1, #KEYS, MAX_UNPACKED do
  if call('EXISTS', unpack(KEYS, from, math.min(from + MAX_UNPACKED - 1, #KEYS))) > 0 then return { now, now } end
end
local next = -1
if call('EXISTS', FRONT, SCHEDULED) == 0 then return { now, next } end
for index = 1, #tags do
  local from, to = '[' .. tags[index] .. '\0', '(' .. tags[index] .. '\1'
  if call('ZLEXCOUNT', FRONT, from, to) > 0 then return { now, now } end
  local first = call('ZRANGEBYLEX', SCHEDULED, from, to, 'LIMIT', 0, 1)[1]
  local due = first and tonumber(sub(first, ${fieldPast('tags[index]', SCHEDULED_ENTRY, 'runAt')}))
  if due and (next < 0 or due < next) then next = due end
end
return { now, next }
`;

/** Whether lanes have work now, or when the next of their scheduled runs is due. */
export const nextDueScript: Script = composeScript({ library: [basics], main: nextDue });
