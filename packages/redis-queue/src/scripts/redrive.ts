import { FLAGS } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { ended } from './library/ended.ts';
import { lanes } from './library/lanes.ts';
import { answer } from './lua.ts';

const redrive = `
local request = cmsgpack.unpack(ARGV[3])
local tags, ids, lanes, seen, next = unpack(request)
checkRights()
checkLanes()
local kept, answers, writes, pushes = readAll(RECORD, ids), {}, {}, {}
local stale = {}
for index = 1, #ids do
  local id, old = ids[index], kept[index]
  if old ~= seen[index] then answers[index] = ${answer('redrive', 'changed')}
  else
    local lane, new = lanes[index], next[index]
    if isNotedRecord(old) then new = withFlags(new, flagsOf(new) + ${FLAGS.noted}) end
    answers[index] = ${answer('redrive', 'redriven')}
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
for lane, push in pairs(pushes) do
  if call('EXISTS', CANCELLED_IN_LANE) == 1 then removeCancelled(laneKey(lane), tags[lane]) end
  pushBack(laneKey(lane), tags[lane], push)
end
writeCounts()
return table.concat(answers)
`;

/** Returns dead letters to their lanes with the records that core made, each only if its record is still the one that was read. */
export const redriveScript: Script = composeScript({
  library: [basics, ended, cancelledInLane, lanes],
  main: redrive,
});
