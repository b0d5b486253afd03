import { BODY, FLAGS, RECORD } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { ended } from './library/ended.ts';
import { lanes } from './library/lanes.ts';
import { slots } from './library/slots.ts';
import { answer, field, firstRecord, has, lateInstant, letter, rewritten } from './lua.ts';

const main = String.raw`
checkRights()
writeWithoutMemory()
local ids = cmsgpack.unpack(ARGV[3])
local bodies, kept, current, answers, writes = readAll(BODY, ids), readAll(RECORD, ids), {}, {}, {}

local function write(id, record)
  current[id] = record
  writes[#writes + 1] = id
  writes[#writes + 1] = record
end

-- A run whose record has an order is at the front of its lane, or parked; one without is in the list of its lane.
local function takeFromWaiting(id, body, record)
  local lane = laneOf(body)
  if not record or sub(record, ${field(RECORD, 'laneSeq')}) == NO_SEQ then
    call('HINCRBY', CANCELLED_IN_LANE, lane .. '\0' .. id, 1)
    return countCancelledInLane(lane, 1)
  end
  local seq = sub(record, ${field(RECORD, 'laneSeq')})
  local wasFront = call('ZREM', FRONT, lane .. '\0' .. seq .. id) == 1
  local whenFull, limit, key = concurrencyOf(body)
  if not whenFull then return end
  if wasFront then unparkNext(key)
  else
    call('ZREM', PARKED, key .. '\0' .. lane .. '\0' .. limit .. '\0' .. seq .. id)
    call('ZREM', PARKED_BY_LANE, lane .. '\0' .. seq .. id)
  end
end

local function cancelled(body, record)
  if record then
    return ${rewritten('record', { state: letter('cancelled'), endedAt: 'NOW', laneSeq: 'NO_SEQ' })}
  end
  local createdAt = sub(body, ${field(BODY, 'createdAt')})
  return ${firstRecord({
    state: letter('cancelled'),
    flags: 'freshFlags(body)',
    submittedAt: 'createdAt',
    endedAt: 'NOW',
    runAt: lateInstant('createdAt'),
  })}
end

for index = 1, #ids do
  local id, body = ids[index], bodies[index]
  local record = current[id] or kept[index] or nil
  local state = record and sub(record, ${field(RECORD, 'state')}) or ${letter('submitted')}
  if not body then answers[index] = ${answer('cancel', 'gone')}
  elseif state == ${letter('started')} then
    local flags = flagsOf(record)
    answers[index] = ${answer('cancel', 'requested')}
    if not (${has('flags', 'cancelRequested')}) then flags = flags + ${FLAGS.cancelRequested} end
    write(id, withFlags(record, flags))
  elseif state == ${letter('submitted')} or state == ${letter('scheduled')} then
    -- The location of a run that cannot be read is unknown: the next claim quarantines it.
    if not isBody(body) or (record and not isRecord(record)) then answers[index] = ${answer('cancel', 'requested')}
    else
      answers[index] = ${answer('cancel', 'cancelled')}
      if state == ${letter('submitted')} then takeFromWaiting(id, body, record)
      else call('ZREM', SCHEDULED, memberOfSchedule(laneOf(body), record, id)) end
      local new = cancelled(body, record)
      write(id, new)
      endRun(id, new, body)
    end
  else answers[index] = ${answer('cancel', 'ended')} end
end
many('HSET', RECORD, writes)
writeEnded()
writeCounts()
return table.concat(answers)
`;

/** Cancels waiting runs, and leaves a cancel request for the workers of started ones. */
export const cancelScript: Script = composeScript({
  library: [basics, slots, ended, cancelledInLane, lanes],
  main: main,
});
