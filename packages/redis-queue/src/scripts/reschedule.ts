import { BODY, RECORD } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { lanes } from './library/lanes.ts';
import { slots } from './library/slots.ts';
import { waiting } from './library/waiting.ts';
import { answer, field, firstRecord, lateInstant, letter, rewritten, zeros } from './lua.ts';

const main = `
local tags, ids, runAts, delays = unpack(cmsgpack.unpack(ARGV[1]))
checkRights()
checkLanes()
writeWithoutMemory()
local numbers, given, missing = {}, #tags, {}
local bodies, kept, seen, answers = readAll(BODY, ids), readAll(RECORD, ids), {}, {}
local pushes, schedules, writes, leaving = {}, {}, {}, {}

local function numberOf(tag)
  if not numbers[tag] then
    tags[#tags + 1] = tag
    numbers[tag] = #tags
  end
  return numbers[tag]
end
for number = 1, given do numbers[tags[number]] = number end

-- The record of a run that is to wait until an instant.
local function scheduledAt(due, body, record)
  if record then return ${rewritten('record', { state: letter('scheduled'), runAt: 'dueText(due)', laneSeq: zeros(RECORD, 'laneSeq') })} end
  local createdAt = sub(body, ${field(BODY, 'createdAt')})
  return ${firstRecord({
    state: letter('scheduled'),
    flags: 'freshFlags(body)',
    submittedAt: 'createdAt',
    runAt: 'dueText(due)',
  })}
end

-- Moves a run that waits; false when the call does not have the key of its lane.
local function move(index, body, record)
  local id, lane = ids[index], numberOf(laneOf(body))
  local due = instantOf(math.max(runAts[index], now + delays[index]))
  local isReady = stateOf(record) == ${letter('submitted')}
  if due > now then schedules[#schedules + 1] = { lane, id, scheduledAt(due, body, record) }
  -- It keeps its place.
  elseif isReady then return true
  elseif lane > given then
    missing[#missing + 1] = tags[lane]
    return false
  else
    pushes[lane] = pushes[lane] or {}
    pushes[lane][#pushes[lane] + 1] = id
    writes[#writes + 1] = id
    writes[#writes + 1] = ${rewritten('record', { state: letter('submitted'), submittedAt: 'NOW', runAt: lateInstant('NOW'), laneSeq: 'NO_SEQ' })}
  end
  leaving[#leaving + 1] = { id, body, record }
  return true
end

for index = 1, #ids do
  local id, body, record = ids[index], bodies[index], kept[index] or nil
  local state = stateOf(record)
  if not body then answers[index] = ${answer('reschedule', 'gone')}
  elseif (state ~= ${letter('submitted')} and state ~= ${letter('scheduled')}) or not isBody(body) or (record and not isRecord(record)) then
    answers[index] = ${answer('reschedule', 'refused')}
  -- Of the requests for one run each takes a call of its own.
  elseif seen[id] or not move(index, body, record) then answers[index] = ${answer('reschedule', 'later')}
  else answers[index] = ${answer('reschedule', 'rescheduled')} end
  seen[id] = true
end

-- The order of writes, so that a script that stops half-way loses no run: the new locations, the records, the old locations.
for lane, push in pairs(pushes) do
  if call('EXISTS', CANCELLED_IN_LANE) == 1 then removeCancelled(laneKey(lane), tags[lane]) end
  pushBack(laneKey(lane), tags[lane], push)
end
putOnSchedule(schedules, tags, writes)
many('HSET', RECORD, writes)
for index = 1, #leaving do leave(unpack(leaving[index], 1, 3)) end
writeCounts()
return { table.concat(answers), missing }
`;

/**
 * Moves waiting runs onto the schedule or to the back of their lanes. Which lanes these are is in the bodies: the script answers the
 * tags of the lanes whose keys it did not get but needs, and the runs of those as well as further requests for a run with `later`.
 */
export const rescheduleScript: Script = composeScript({
  library: [basics, slots, cancelledInLane, lanes, waiting],
  main,
});
