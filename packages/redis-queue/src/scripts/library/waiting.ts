import { FLAGS, RECORD } from '../../record/layout.ts';
import { answer, field, has, isIn, letter } from '../lua.ts';

/**
 * Takes waiting runs out of where they wait, and ends them. A run leaves its location after its new record was written: a script
 * that stops before leaves its id in a lane, where the next claim drops it.
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

local function withCancelRequest(record)
  local flags = flagsOf(record)
  return withFlags(record, ${has('flags', 'cancelRequested')} and flags or flags + ${FLAGS.cancelRequested})
end

-- Ends waiting runs, each with the record that endedOf returns for its index, body and record, and leaves a cancel request for the
-- workers of started ones. Where endedOf returns none, the answer is the second value that it returns.
local function endWaiting(ids, done, endedOf)
  local bodies, kept, current, answers, writes, leaving = readAll(BODY, ids), readAll(RECORD, ids), {}, {}, {}, {}
  for index = 1, #ids do
    local id, body, new = ids[index], bodies[index], nil
    local record = current[id] or kept[index] or nil
    local state = stateOf(record)
    if not body then answers[index] = ${answer('cancel', 'gone')}
    elseif state == ${letter('started')} then
      answers[index], new = ${answer('cancel', 'requested')}, withCancelRequest(record)
    elseif state ~= ${letter('submitted')} and state ~= ${letter('scheduled')} then answers[index] = ${answer('cancel', 'ended')}
    -- The location of a run that cannot be read is unknown: the next claim quarantines it.
    elseif not isBody(body) or (record and not isRecord(record)) then answers[index] = ${answer('cancel', 'requested')}
    else
      new, answers[index] = endedOf(index, body, record)
      if new then
        new = freeKeptSlot(id, record, new)
        answers[index], leaving[#leaving + 1] = done, { id, body, record }
        new = endRun(id, new, body)
      end
    end
    if new then
      current[id], writes[#writes + 1] = new, id
      writes[#writes + 1] = new
    end
  end
  many('HSET', RECORD, writes)
  writeEnded()
  for index = 1, #leaving do leave(unpack(leaving[index], 1, 3)) end
  writeSlots()
  writeCounts()
  return table.concat(answers)
end
`;
