-- Finds started runs of some lanes whose lease has expired, longest ago first; quarantines what cannot be read. Reads leases in the order
-- of their ends, some thousand at a time, and compares the hashes of lanes in the records.
--
-- Keys: BODY RECORD STACKS META LEASES SCHEDULED FRONT PARKED SLOTS_TAKEN DEAD GROUPS GROUPED LANES LARGE PARKED_BY_LANE BEHIND
--       BEHIND_BY_LANE
--
-- ARGV[1], ARGV[2]  what is kept: see `store/retention.ts`
-- ARGV[3]  packed: from which index on, how many runs, how the lanes are meant (`all`, `only`, `except`), and their tags
--
-- Returns the next index, or -1; ids; and what `readRuns` returns.
--
-- @use basics, ended, slots, lanes, turns, read-runs

local from, limit, mode, wanted = unpack(cmsgpack.unpack(ARGV[3]))
-- Whether the run was settled by a script that stopped before it removed the lease; then does the rest of that script.
local function isElsewhere(id, record)
  local state, body = fieldOf(record, Record.state), call('HGET', BODY, id)
  if not isBody(body) then return false end
  local tag = laneOf(body)
  if state == State.scheduled then
    call('ZADD', SCHEDULED, 0, memberOfSchedule(tag, record, id))
  elseif state == State.submitted and not call('ZSCORE', FRONT, tag .. '\0' .. fieldOf(record, Record.laneSeq) .. id) then
    local fairness = fairnessOf(body)
    if fairness and not isListed(record) then
      putBehind(tag, fairness, fieldOf(record, Record.laneSeq) .. id)
      return true
    end
    -- It may be in its lane already; twice there, it starts once all the same.
    pushBack(sub(BODY, 1, -5) .. 'lane:' .. tag, tag, { id })
  elseif isDeadLetter(record) then
    call('ZADD', DEAD, 0, id)
    if not call('ZSCORE', GROUPED, memberOfGroup(tag, groupIn(record), id)) then joinGroup(id, record, tag) end
  end
  return find(State.submitted .. State.scheduled .. EndStates, state, 1, true) ~= nil
end

local isWanted = {}
for index = 1, #wanted do
  isWanted[laneHashOf(wanted[index])] = true
end
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
  if not record or isNotIn(record, State.started) or not isRecord(record) then
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
