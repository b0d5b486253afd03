import { END_STATES, RECORD } from '../record/layout.ts';
import { defineScript, type Script } from '../store/script.ts';
import { concurrency } from './library/concurrency.ts';
import { ended } from './library/ended.ts';
import { places } from './library/places.ts';
import { prelude } from './library/prelude.ts';
import { readRuns } from './library/read-runs.ts';
import { field, isNotIn, letter } from './lua.ts';

// Leases are looked at in the order of their ends, a few thousand at a time, by the notes of lanes in the records.
const expired = `
local from, limit, mode, wanted = unpack(cmsgpack.unpack(ARGV[3]))
-- Whether it was settled already, by a script that was stopped before it took the lease away: what that left undone is done.
local function isElsewhere(id, record)
  local state, body = sub(record, ${field(RECORD, 'state')}), call('HGET', BODY, id)
  if not isBody(body) then return false end
  local tag = laneOf(body)
  if state == ${letter('scheduled')} then call('ZADD', SCHEDULED, 0, memberOfSchedule(tag, record, id))
  elseif state == ${letter('submitted')} and not call('ZSCORE', FRONT, tag .. '\\0' .. sub(record, ${field(RECORD, 'laneSeq')}) .. id) then
    -- Twice in its lane it starts once.
    pushBack(sub(BODY, 1, -5) .. 'lane:' .. tag, tag, { id })
  elseif isDeadLetter(record) then call('ZADD', DEAD, 0, id) end
  return find(${letter('submitted', 'scheduled', ...END_STATES)}, state, 1, true) ~= nil
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
  if not record or ${isNotIn('record', 'started')} or not isRecord(record) then
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

/** Started runs of some lanes whose lease has run out, longest ago first, from a place on; sets aside what is no run. */
export const expiredScript: Script = defineScript(prelude, ended, concurrency, places, readRuns, expired);
