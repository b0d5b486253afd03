import { steps } from '../operations/scripts.ts';
import { STEP_REFUSED } from '../operations/step.ts';
import { CHANGE_MARKS } from '../record/changes.ts';
import { APART_TEXTS, END_STATES } from '../record/layout.ts';
import { make } from '../store/compose.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { ended } from './library/ended.ts';
import { lanes } from './library/lanes.ts';
import { slots } from './library/slots.ts';
import { leaveEnded, waitAgain, waiting } from './library/waiting.ts';
import { answer, isIn, letter } from './lua.ts';

const main = `
local tags, ids, lanes, seen, next, stacks, results, groupTitles, step = unpack(cmsgpack.unpack(ARGV[3]))
readTitles(groupTitles)
checkRights()
checkLanes()
writeWithoutMemory()
local figures
if #step > 0 then
  ${make('beginStep')}
  figures = beginStep(step)
  if not figures then return '${STEP_REFUSED}' end
end
local bodies, kept, answers, isChanged, done = readAll(BODY, ids), readAll(RECORD, ids), {}, {}, 0
local gone, requests, staleStacks, staleResults = {}, {}, {}, {}

-- As a settlement does it: texts that are kept apart come before the record.
local function writeTexts(index, id, old, new)
  if hasStack(new) then call('HSET', STACKS, id, stacks[index])
  elseif old and hasStack(old) then staleStacks[#staleStacks + 1] = id end
  if hasLargeResult(new) then call('HSET', LARGE, '${APART_TEXTS.result}' .. id, results[index])
  elseif old and hasLargeResult(old) then staleResults[#staleResults + 1] = '${APART_TEXTS.result}' .. id end
end

-- Changes a run; false where it is not to be changed so.
local function change(index, id, body, old)
  local new, state = next[index], stateOf(old)
  local hasEnded = find(${letter(...END_STATES)}, state, 1, true)
  if new == '${CHANGE_MARKS.forget}' then
    if not hasEnded or #state == 0 then return false end
    hadEnded[#hadEnded + 1] = { id, old, laneOf(body) }
    gone[#gone + 1] = id
  elseif new == '${CHANGE_MARKS.requestCancel}' then
    if state ~= ${letter('started')} then return false end
    requests[#requests + 1] = id
    requests[#requests + 1] = withCancelRequest(old)
  else
    -- The location of a run that cannot be read is unknown.
    if state == ${letter('started')} or not isBody(body) or (old and not isRecord(old)) then return false end
    if hasEnded and not (${isIn('new', 'submitted')} or ${isIn('new', 'scheduled')}) then return false end
    writeTexts(index, id, old, new)
    moveRun(id, body, old, new, lanes[index])
  end
  return true
end

for index = 1, #ids do
  local id, body, old = ids[index], bodies[index], kept[index] or nil
  if not body then answers[index] = ${answer('change', 'gone')}
  elseif isChanged[id] or seenOf(id, body, old) ~= seen[index] or not change(index, id, body, old) then
    answers[index] = ${answer('change', 'changed')}
  else answers[index], isChanged[id], done = ${answer('change', 'done')}, true, done + 1 end
end
many('HSET', RECORD, requests)
if #tags > 0 then
  ${make('waitAgain')}
  waitAgain(tags)
end
if #hadEnded > 0 then
  ${make('leaveEnded')}
  leaveEnded()
end
writeMoves()
many('HDEL', STACKS, staleStacks)
many('HDEL', LARGE, staleResults)
forget(gone, gone)
if figures then
  ${make('endStep')}
  endStep(step, figures, done, #ids - done)
end
writeCounts()
return table.concat(answers)
`;

/**
 * Writes runs that no worker holds, and cancel requests, each only if the run is still what was seen.
 *
 * Arguments: the two of retention; packed, the tags of the lanes of runs that wait again, and for each run its id, the number of its
 * lane (0 if it needs none), what was seen, its new record or a mark, its stack and large result (empty text if it has none); the ids
 * and titles of error groups, and the values of a step. Replies a letter for each run.
 */
export const changeScript: Script = composeScript({
  library: [basics, slots, ended, cancelledInLane, lanes, waiting],
  rare: [
    waitAgain,
    leaveEnded,
    { signature: 'beginStep(step)', library: [basics, steps], body: 'return openStep(step)' },
    {
      signature: 'endStep(step, figures, done, skipped)',
      library: [basics, steps],
      body: 'closeStep(step, figures, done, skipped)',
    },
  ],
  main,
});
