import { steps } from '../operations/scripts.ts';
import { STEP_REFUSED } from '../operations/step.ts';
import { APART_TEXTS, FLAGS } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { ended } from './library/ended.ts';
import { lanes } from './library/lanes.ts';
import { answer, has, isIn } from './lua.ts';

const redrive = `
local request = cmsgpack.unpack(ARGV[3])
local tags, ids, lanes, seen, next, step = unpack(request)
checkRights()
checkLanes()
local kept, answers, writes, pushes = readAll(RECORD, ids), {}, {}, {}
local stale, schedules, done = {}, {}, 0
local figures = #step > 0 and openStep(step)
if #step > 0 and not figures then return '${STEP_REFUSED}' end
-- Whether retention has deleted the payload, as it does of disposable runs only.
local function isTrimmed(id, record)
  if not (${has('flagsOf(record)', 'disposable')}) then return false end
  return hasLargePayload(call('HGET', BODY, id) or '') and call('HEXISTS', LARGE, '${APART_TEXTS.payload}' .. id) == 0
end
for index = 1, #ids do
  local id, old = ids[index], kept[index]
  if old ~= seen[index] then answers[index] = ${answer('redrive', 'changed')}
  elseif isTrimmed(id, old) then answers[index] = ${answer('redrive', 'refused')}
  else
    local lane, new = lanes[index], next[index]
    if isNotedRecord(old) then new = withFlags(new, flagsOf(new) + ${FLAGS.noted}) end
    answers[index] = ${answer('redrive', 'redriven')}
    done = done + 1
    takeFromEnded(id, old, tags[lane])
    if not hasStack(new) then stale[#stale + 1] = id end
    if ${isIn('new', 'scheduled')} then schedules[#schedules + 1] = { lane, id, new }
    else
      writes[#writes + 1] = id
      writes[#writes + 1] = new
      pushes[lane] = pushes[lane] or {}
      pushes[lane][#pushes[lane] + 1] = id
    end
  end
end
putOnSchedule(schedules, tags, writes)
many('HSET', RECORD, writes)
many('HDEL', STACKS, stale)
for lane, push in pairs(pushes) do
  if call('EXISTS', CANCELLED_IN_LANE) == 1 then removeCancelled(laneKey(lane), tags[lane]) end
  pushBack(laneKey(lane), tags[lane], push)
end
if figures then closeStep(step, figures, done, #ids - done) end
writeGroups()
writeCounts()
return table.concat(answers)
`;

/** Returns dead letters to their lanes, or puts them on the schedule, with the records that core made, each only if its record is still the one that was read. */
export const redriveScript: Script = composeScript({
  library: [basics, ended, cancelledInLane, lanes, steps],
  main: redrive,
});
