import { SCHEDULED_ENTRY } from '../record/layout.ts';
import { make } from '../store/compose.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { heldWork, holds } from './library/holds.ts';
import { fieldPast } from './lua.ts';

const firstDueOf = String.raw`
local function firstDueOf(tag)
  local first = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, 1)[1]
  return first and tonumber(sub(first, ${fieldPast('tag', SCHEDULED_ENTRY, 'runAt')})) or nil
end
`;

// As a rule all lanes are empty, nothing is scheduled and nothing on hold: a worker of a thousand tasks learns that by three commands.
const nextDue = String.raw`
local tags = cmsgpack.unpack(ARGV[1])
if call('EXISTS', CANCELLED_IN_LANE, HOLDS) > 0 then
  ${make('nextOfHeld')}
  local next = nextOfHeld(tags)
  if next then return { now, next, 1 } end
end
for from = FIXED + 1, #KEYS, MAX_UNPACKED do
  if call('EXISTS', unpack(KEYS, from, math.min(from + MAX_UNPACKED - 1, #KEYS))) > 0 then return { now, now, 0 } end
end
local next = -1
if call('EXISTS', FRONT, SCHEDULED) == 0 then return { now, next, 0 } end
for index = 1, #tags do
  local from, to = '[' .. tags[index] .. '\0', '(' .. tags[index] .. '\1'
  if call('ZLEXCOUNT', FRONT, from, to) > 0 then return { now, now, 0 } end
  local due = firstDueOf(tags[index])
  if due and (next < 0 or due < next) then next = due end
end
return { now, next, 0 }
`;

// When one of the lanes has work next, or -1; nil if none of them is on hold. A lane with nothing but ids of runs that have left it
// becomes empty: the next run that comes wakes.
const nextOfHeld = `
for index = 1, #tags do removeCancelled(laneKey(index), tags[index]) end
writeCounts()
local passages = passagesOf(tags)
if not next(passages) then return nil end
local earliest = math.huge
for index = 1, #tags do
  local key, tag, passage = laneKey(index), tags[index], passages[index]
  local due = firstDueOf(tag) or math.huge
  if passage and passage.untilAt > now then due = workAfterHold(key, tag, passage.untilAt, due)
  elseif hasReady(key, tag) then due = now end
  earliest = math.min(earliest, due)
end
return earliest < math.huge and earliest or -1
`;

/** Whether lanes have work now, or when the next of them has by time alone; and whether any of them has a hold. */
export const nextDueScript: Script = composeScript({
  library: [basics, firstDueOf],
  rare: [
    {
      signature: 'nextOfHeld(tags)',
      library: [basics, cancelledInLane, firstDueOf, holds, heldWork],
      body: nextOfHeld,
    },
  ],
  main: nextDue,
});
