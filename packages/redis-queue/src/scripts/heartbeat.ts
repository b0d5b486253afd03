import { defineScript, type Script } from '../store/script.ts';
import { concurrency } from './library/concurrency.ts';
import { ended } from './library/ended.ts';
import { places } from './library/places.ts';
import { prelude } from './library/prelude.ts';
import { readRuns } from './library/read-runs.ts';

const heartbeat = `
-- The record with its heartbeat at this instant, unless it has a later one.
local function heard(record)
  local at = isShort(record) and 16 or 52
  local last = sub(record, at, at + 12)
  return sub(record, 1, at - 1) .. (last > NOW and last or NOW) .. sub(record, at + 13)
end

local leaseUntil = instantOf(now + tonumber(ARGV[1]))
writeWithoutMemory()
local beats = cmsgpack.unpack(ARGV[2])
local ids, answers, writes, leases = {}, {}, {}, {}
for index = 1, #beats / 2 do ids[index] = beats[index * 2 - 1] end
local kept = readAll(RECORD, ids)
for index = 1, #ids do
  local id, record = ids[index], kept[index]
  if not record then
    answers[index] = call('HEXISTS', BODY, id) == 1 and 'f' or 'g'
  elseif byte(record, 1) ~= 114 or epochOf(record) ~= beats[index * 2] then
    answers[index] = 'f'
  else
    answers[index] = flagsOf(record) % 2 == 1 and 'c' or 'o'
    writes[#writes + 1] = id
    writes[#writes + 1] = heard(record)
    leases[#leases + 1] = string.format('%.0f', leaseUntil)
    leases[#leases + 1] = id
  end
end
many('HSET', RECORD, writes)
-- A lease never shrinks.
for from = 1, #leases, MOST do
  call('ZADD', LEASES, 'GT', unpack(leases, from, math.min(from + MOST - 1, #leases)))
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
  local isHeld = record and byte(record, 1) == 114 and epochOf(record) == leases[index * 2]
  answers[index] = isHeld and flagsOf(record) % 2 == 1 and 'y' or 'n'
end
return table.concat(answers)
`;

// Leases are looked at in the order of their ends, a few thousand at a time, by the notes of lanes in the records.
const expired = `
local from, limit, mode, wanted = unpack(cmsgpack.unpack(ARGV[3]))
-- Whether it was settled already, by a script that was stopped before it took the lease away: what that left undone is done.
local function isElsewhere(id, record)
  local state, body = sub(record, 1, 1), call('HGET', BODY, id)
  if not isBody(body) then return false end
  local tag = laneOf(body)
  if state == 'd' then call('ZADD', SCHEDULED, 0, memberOfSchedule(tag, record, id))
  elseif state == 'w' and not call('ZSCORE', FRONT, tag .. '\\0' .. sub(record, 94, 109) .. id) then
    -- Twice in its lane it starts once.
    pushBack(sub(BODY, 1, -5) .. 'lane:' .. tag, tag, { id })
  elseif isDeadLetter(record) then call('ZADD', DEAD, 0, id) end
  return find('wdCFXSDL', state, 1, true) ~= nil
end

local isWanted = {}
for index = 1, #wanted do isWanted[noteOf(wanted[index])] = true end
local STEP = 2000
local entries = call('ZRANGE', LEASES, from, from + STEP - 1, 'WITHSCORES')
local ids, removed, looked = {}, 0, 0
for index = 1, #entries, 2 do
  if (tonumber(entries[index + 1]) or now) > now then break end
  ids[#ids + 1] = entries[index]
end
local records, found, foundRecords = readAll(RECORD, ids), {}, {}
for index = 1, #ids do
  if #found >= limit then break end
  looked = index
  local record = records[index]
  if not record or byte(record, 1) ~= 114 or not isRecord(record) then
    call('ZREM', LEASES, ids[index])
    removed = removed + 1
    if not (record and isRecord(record) and isElsewhere(ids[index], record)) then
      -- It may have held a key of its body; whether it did was in its record.
      isHeldUnknown = true
      setAside(ids[index], laneOf(call('HGET', BODY, ids[index]) or ''), 'its record')
    end
  else
    local note = leasedNoteOf(record)
    if mode == 'all' or (isWanted[note] or false) == (mode == 'only') then
      found[#found + 1] = ids[index]
      foundRecords[#foundRecords + 1] = record
    end
  end
end
writeHeld()
writeCounts()
local next = looked < STEP and #found < limit and -1 or from + looked - removed
return { next, found, readRuns(found, foundRecords, 'omit') }
`;

/** Extends leases and notes when. */
export const heartbeatScript: Script = defineScript(prelude, heartbeat);

/** Which leases have a cancel request. */
export const cancelRequestsScript: Script = defineScript(prelude, cancelRequests);

/** Started runs of some lanes whose lease has run out, longest ago first, from a place on; sets aside what is no run. */
export const expiredScript: Script = defineScript(prelude, ended, concurrency, places, readRuns, expired);
