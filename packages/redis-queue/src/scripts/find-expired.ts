import { END_STATES, RECORD } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { ended } from './library/ended.ts';
import { lanes } from './library/lanes.ts';
import { readRuns } from './library/read-runs.ts';
import { slots } from './library/slots.ts';
import { field, isNotIn, letter } from './lua.ts';

// Reads leases in the order of their ends, some thousand at a time, and compares the hashes of lanes in the records.
const expired = `
local from, limit, mode, wanted = unpack(cmsgpack.unpack(ARGV[3]))
-- Whether the run was settled by a script that stopped before it removed the lease; then does the rest of that script.
local function isElsewhere(id, record)
  local state, body = sub(record, ${field(RECORD, 'state')}), call('HGET', BODY, id)
  if not isBody(body) then return false end
  local tag = laneOf(body)
  if state == ${letter('scheduled')} then call('ZADD', SCHEDULED, 0, memberOfSchedule(tag, record, id))
  elseif state == ${letter('submitted')} and not call('ZSCORE', FRONT, tag .. '\\0' .. sub(record, ${field(RECORD, 'laneSeq')}) .. id) then
    -- It may be in its lane already; twice there, it starts once all the same.
    pushBack(sub(BODY, 1, -5) .. 'lane:' .. tag, tag, { id })
  elseif isDeadLetter(record) then
    call('ZADD', DEAD, 0, id)
    if not call('ZSCORE', GROUPED, memberOfGroup(tag, groupIn(record), id)) then joinGroup(id, record, tag) end
  end
  return find(${letter('submitted', 'scheduled', ...END_STATES)}, state, 1, true) ~= nil
end

local isWanted = {}
for index = 1, #wanted do isWanted[laneHashOf(wanted[index])] = true end
local STEP = 2000
local entries = call('ZRANGE', LEASES, from, from + STEP - 1, 'WITHSCORES')
local ids, removed, checked = {}, 0, 0
for index = 1, #entries, 2 do
  if (tonumber(entries[index + 1]) or now) > now then break end
  ids[#ids + 1] = entries[index]
end
local records, found, foundRecords = readAll(RECORD, ids), {}, {}
for index = 1, #ids do
  if #found >= limit then break end
  checked = index
  local record = records[index]
  if not record or ${isNotIn('record', 'started')} or not isRecord(record) then
    if removed == 0 then checkRights() end
    call('ZREM', LEASES, ids[index])
    removed = removed + 1
    if not (record and isRecord(record) and isElsewhere(ids[index], record)) then
      -- Whether it took a slot of its key was in its record.
      areSlotsUnknown = true
      quarantine(ids[index], laneOf(call('HGET', BODY, ids[index]) or ''), 'its record')
    end
  else
    local laneHash = startedLaneHashOf(record)
    if mode == 'all' or (isWanted[laneHash] or false) == (mode == 'only') then
      found[#found + 1] = ids[index]
      foundRecords[#foundRecords + 1] = record
    end
  end
end
writeSlots()
writeGroups()
writeCounts()
local next = checked < STEP and #found < limit and -1 or from + checked - removed
return { next, found, readRuns(found, foundRecords, 'omit') }
`;

/** Finds started runs of some lanes whose lease has expired, longest ago first, from an index on; quarantines what cannot be read. */
export const findExpiredScript: Script = composeScript({
  library: [basics, ended, slots, lanes, readRuns],
  main: expired,
});
