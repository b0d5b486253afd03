import { FIRST_START, RECORD } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { answer, has, isIn, isNotIn, startOf } from './lua.ts';

const heartbeat = `
-- The record with its latest heartbeat now, unless it has a later one.
local function withHeartbeat(record)
  local at = isShort(record) and ${startOf(FIRST_START, 'heartbeatAt')} or ${startOf(RECORD, 'heartbeatAt')}
  local last = sub(record, at, at + #NOW - 1)
  return sub(record, 1, at - 1) .. (last > NOW and last or NOW) .. sub(record, at + #NOW)
end

local leaseUntil = instantOf(now + tonumber(ARGV[1]))
writeWithoutMemory()
local heartbeats = cmsgpack.unpack(ARGV[2])
local ids, answers, writes, leases = {}, {}, {}, {}
for index = 1, #heartbeats / 2 do ids[index] = heartbeats[index * 2 - 1] end
local kept = readAll(RECORD, ids)
for index = 1, #ids do
  local id, record = ids[index], kept[index]
  if not record then
    answers[index] = call('HEXISTS', BODY, id) == 1 and ${answer('heartbeat', 'fenced')} or ${answer('heartbeat', 'gone')}
  elseif ${isNotIn('record', 'started')} or epochOf(record) ~= heartbeats[index * 2] then
    answers[index] = ${answer('heartbeat', 'fenced')}
  else
    answers[index] = ${has('flagsOf(record)', 'cancelRequested')} and ${answer('heartbeat', 'cancel')} or ${answer('heartbeat', 'ok')}
    writes[#writes + 1] = id
    writes[#writes + 1] = withHeartbeat(record)
    leases[#leases + 1] = string.format('%.0f', leaseUntil)
    leases[#leases + 1] = id
  end
end
many('HSET', RECORD, writes)
-- A lease never shrinks.
for from = 1, #leases, MAX_UNPACKED do
  call('ZADD', LEASES, 'GT', unpack(leases, from, math.min(from + MAX_UNPACKED - 1, #leases)))
end
return table.concat(answers)
`;

const cancelRequests = `
local leases = cmsgpack.unpack(ARGV[1])
local ids, answers = {}, {}
for index = 1, #leases / 2 do ids[index] = leases[index * 2 - 1] end
local kept = readAll(RECORD, ids)
for index = 1, #ids do
  local record = kept[index]
  local isCurrent = record and ${isIn('record', 'started')} and epochOf(record) == leases[index * 2]
  answers[index] = isCurrent and ${has('flagsOf(record)', 'cancelRequested')} and ${answer('cancelRequest', 'requested')} or ${answer('cancelRequest', 'none')}
end
return table.concat(answers)
`;

/** Extends leases, and records the heartbeats. */
export const heartbeatScript: Script = composeScript({ library: [basics], main: heartbeat });

/** Finds the leases that have a cancel request. */
export const cancelRequestsScript: Script = composeScript({ library: [basics], main: cancelRequests });
