import { TRIMMED_MARK } from '../../record/changes.ts';
import { APART_TEXTS, BODY, END_STATES, FLAGS, RECORD } from '../../record/layout.ts';
import type { RareFunction } from '../../store/compose.ts';
import { field, isIn, letter } from '../lua.ts';
import { basics } from './basics.ts';
import { cancelledInLane } from './cancelled-in-lane.ts';
import { ended } from './ended.ts';
import { lanes } from './lanes.ts';

/**
 * Moves runs that no worker holds, which wait or have ended. What follows from the difference of two records is derived here: where the
 * run is, its slot and its error group.
 */
export const waiting: string = String.raw`
-- A run that waits for its first claim has no record.
local function stateOf(record)
  return record and sub(record, ${field(RECORD, 'state')}) or ${letter('submitted')}
end

-- A run whose record has an order is at the front of its lane, or parked; one without is in the list of its lane.
local function leaveLane(id, body, record)
  local lane = laneOf(body)
  if not record or sub(record, ${field(RECORD, 'laneSeq')}) == NO_SEQ then
    changeCancelled(lane .. '\0' .. id, 1)
    return countCancelledInLane(lane, 1)
  end
  local seq = sub(record, ${field(RECORD, 'laneSeq')})
  local wasFront = call('ZREM', FRONT, lane .. '\0' .. seq .. id) == 1
  local whenFull, limit, key = concurrencyOf(body)
  if not whenFull then return end
  if wasFront then
    unparkNext(key)
    if key ~= lane then unparkNext(lane) end
  else
    leaveParked(lane, key, limit, seq .. id)
    call('ZREM', PARKED_BY_LANE, lane .. '\0' .. seq .. id)
  end
end

-- Takes a run out of where it waited with this record.
local function leave(id, body, record)
  if record and ${isIn('record', 'scheduled')} then call('ZREM', SCHEDULED, memberOfSchedule(laneOf(body), record, id))
  else leaveLane(id, body, record) end
end

local function withFlag(record, flag, isSet)
  local flags = flagsOf(record)
  if (flags % (2 * flag) >= flag) == isSet then return record end
  return withFlags(record, isSet and flags + flag or flags - flag)
end

local function withCancelRequest(record)
  return withFlag(record, ${FLAGS.cancelRequested}, true)
end

-- Whether retention has deleted the payload, as it does of finished runs only.
local function isTrimmed(id, body, record)
  if not record or not hasLargePayload(body) or isDeadLetter(record) then return false end
  return find(${letter(...END_STATES)}, stateOf(record), 1, true) and call('HEXISTS', LARGE, '${APART_TEXTS.payload}' .. id) == 0
end

-- What runs are recognised by that were read: it changes with each record, and when the payload is deleted. A run without a record has
-- been submitted, and no more.
local function seenOf(id, body, record)
  local seen = sub(redis.sha1hex(record or sub(body, ${field(BODY, 'createdAt')})), 1, 16)
  return isTrimmed(id, body, record) and seen .. '${TRIMMED_MARK}' or seen
end

local wasWaiting, hadEnded, endedRecords, waitingPushes, waitingSchedules, waitingRecords = {}, {}, {}, {}, {}, {}

-- Makes of a run that no worker holds what its new record says. The number of its lane is needed where it waits again.
local function moveRun(id, body, old, new, lane)
  local isWaiting = ${isIn('new', 'submitted')} or ${isIn('new', 'scheduled')}
  if find(${letter(...END_STATES)}, stateOf(old), 1, true) then hadEnded[#hadEnded + 1] = { id, old, laneOf(body) }
  else wasWaiting[#wasWaiting + 1] = { id, body, old } end
  new = withFlag(new, ${FLAGS.noted}, isNoted(body))
  new = withFlag(new, ${FLAGS.takesSlot}, isWaiting and takesSlot(old))
  if not isWaiting then
    freeKeptSlot(id, old)
    endedRecords[#endedRecords + 1] = id
    endedRecords[#endedRecords + 1] = endRun(id, new, body)
    return
  end
  if ${isIn('new', 'scheduled')} then waitingSchedules[#waitingSchedules + 1] = { lane, id, new }
  else
    waitingPushes[lane] = waitingPushes[lane] or {}
    waitingPushes[lane][#waitingPushes[lane] + 1] = id
    waitingRecords[#waitingRecords + 1] = id
    waitingRecords[#waitingRecords + 1] = new
  end
end

-- Writes the moves of runs that do not wait again, the last part of what is written. A script that stops half-way loses no run: it is in
-- its new location, then it has its record, then it leaves the old location.
local function writeMoves()
  many('HSET', RECORD, endedRecords)
  writeEnded()
  for index = 1, #wasWaiting do leave(unpack(wasWaiting[index], 1, 3)) end
  writeGroups()
  writeSlots()
end
`;

/** Puts runs where they wait again. Few calls do, and it needs many functions. */
export const waitAgain: RareFunction = {
  signature: 'waitAgain(tags)',
  library: [basics, cancelledInLane, lanes],
  body: `
  for lane, push in pairs(waitingPushes) do
    if call('EXISTS', CANCELLED_IN_LANE) == 1 then removeCancelled(laneKey(lane), tags[lane]) end
    pushBack(laneKey(lane), tags[lane], push)
  end
  putOnSchedule(waitingSchedules, tags, waitingRecords)
  many('HSET', RECORD, waitingRecords)
`,
};

/** Takes runs that had ended out of where they are: before retention looks at those that end now. */
export const leaveEnded: RareFunction = {
  signature: 'leaveEnded()',
  library: [basics, ended],
  body: `
  for index = 1, #hadEnded do takeFromEnded(unpack(hadEnded[index])) end
`,
};
