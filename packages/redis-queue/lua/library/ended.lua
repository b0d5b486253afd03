-- Runs that have ended are in one of three collections:
--
-- - DEAD, a sorted set by id: dead letters, until they are redriven or discarded. Each is also in its error group.
-- - AWAITED, a sorted set by instant: runs whose result is kept for its reader (`keepResultMs`), until that instant; then they move to
--   the list.
-- - FINISHED, a list, oldest first: all others, of which retention forgets the oldest. Its entries contain what forgetting needs, so that
--   it reads no records: an id alone is that of a completed run without notes and texts that are kept apart; any other id follows a zero
--   character and the letter of its state.
--
-- LONG_FINISHED has the ids of those in the list that have long texts, oldest first: retention deletes the texts, and the runs stay.
--
-- ARGV[1], ARGV[2]  what is kept: see `store/retention.ts`
--
-- @use basics, error-groups

local KEEP, KEEP_NAMES = tonumber(string.match(ARGV[1], '^%S+')), tonumber(string.match(ARGV[2], '^%S+'))
local KEEP_FOR, KEEP_BYTES = tonumber(string.match(ARGV[1], ' (%d+)$') or 'none'), tonumber(string.match(ARGV[2], ' (%d+)$') or 'none')
local newlyFinished, newlyDead, newlyAwaited, hasAwaitedEnd = {}, {}, {}, false

-- Failed, stalled and rate limited runs are dead letters, unless they are disposable.
local function isDeadLetter(record)
  local state = byte(record, Record.state.from)
  return isOneOf(state, DeadLetterStates) and not has(flagsOf(record), Flag.disposable)
end

local function entryOf(id, record)
  local isPlain = isIn(record, State.completed) and not hasStack(record) and not hasLargeResult(record)
  if isPlain and not isNotedRecord(record) and byte(id, 1) ~= 0 then return id end
  return '\0' .. fieldOf(record, Record.state) .. id
end

local function endedAt(record)
  return tonumber(isShort(record) and fieldOf(record, FirstCompletion.endedAt) or fieldOf(record, Record.endedAt)) or now
end

-- Returns the record, which has the group that a dead letter is counted under. The lane or the body may be unknown, not both.
local function endRun(id, record, body, tag)
  count(fieldOf(record, Record.state), 1)
  local keepMs
  if isNotedRecord(record) then keepMs = tonumber(string.match(notesOf(body or call('HGET', BODY, id) or ''), '%d+')) end
  if keepMs then hasAwaitedEnd = true end
  if isDeadLetter(record) then
    newlyDead[#newlyDead + 1] = 0
    newlyDead[#newlyDead + 1] = id
    record = joinGroup(id, record, tag or laneOf(body))
  elseif keepMs then
    newlyAwaited[#newlyAwaited + 1] = string.format('%.0f', instantOf(endedAt(record) + keepMs))
    newlyAwaited[#newlyAwaited + 1] = id
  else
    newlyFinished[#newlyFinished + 1] = entryOf(id, record)
  end
  return record
end

local function longBytesOf(id)
  return call('HSTRLEN', LARGE, ApartText.payload .. id) + call('HSTRLEN', LARGE, ApartText.result .. id)
end

-- Whether a run of the list has long texts; only marked entries have any. Takes it out of those that do.
local function leaveLong(id)
  local bytes = longBytesOf(id)
  if bytes > 0 and call('LREM', LONG_FINISHED, 1, id) == 1 then count('largeBytes', -bytes) end
end

local function takeFromEnded(id, record, tag)
  count(fieldOf(record, Record.state), -1)
  if isDeadLetter(record) then
    leaveGroup(id, record, tag)
    return call('ZREM', DEAD, id)
  end
  if isNotedRecord(record) and call('ZREM', AWAITED, id) == 1 then return end
  local entry = entryOf(id, record)
  if call('LREM', FINISHED, 1, entry) == 1 and byte(entry, 1) == 0 then leaveLong(id) end
end

-- Forgets names that have expired, up to a thousand more than were added.
local function forgetNames(added)
  local old = call('ZRANGEBYSCORE', NAMES, '-inf', now, 'LIMIT', 0, math.min(added, 3000) + 1000)
  many('ZREM', NAMES, old)
end

-- Keeps the names among the ids of forgotten runs (ids that a caller chose): they stay taken for a while.
local function rememberNames(ids)
  local bodies, keyed, names = readAll(BODY, ids), {}, {}
  for index = 1, #ids do
    if bodies[index] and find(notesOf(bodies[index]), Note.keyed, 1, true) then keyed[#keyed + 1] = ids[index] end
  end
  if #keyed == 0 then return end
  local records = readAll(RECORD, keyed)
  for index = 1, #keyed do
    local untilAt = instantOf((records[index] and endedAt(records[index]) or now) + KEEP_NAMES)
    if untilAt > now then
      names[#names + 1] = string.format('%.0f', untilAt)
      names[#names + 1] = keyed[index]
    end
  end
  many('ZADD', NAMES, names)
  forgetNames(#keyed)
end

-- Forgets runs; the marked ones may have more than body and record.
local function forget(ids, marked)
  if #marked > 0 then
    rememberNames(marked)
    local large = {}
    for index = 1, #marked do
      large[index * 2 - 1], large[index * 2] = ApartText.payload .. marked[index], ApartText.result .. marked[index]
    end
    many('HDEL', STACKS, marked)
    many('HDEL', LARGE, large)
  end
  many('HDEL', BODY, ids)
  many('HDEL', RECORD, ids)
  count('forgotten', #ids)
end

-- Forgets the runs of these entries of the list.
local function forgetEntries(oldest)
  local marked = {}
  for index = 1, #oldest do
    local entry = oldest[index]
    if byte(entry, 1) == 0 then
      local id = sub(entry, FinishedEntry.length + 1)
      oldest[index], marked[#marked + 1] = id, id
      leaveLong(id)
      count(fieldOf(entry, FinishedEntry.state), -1)
    end
  end
  count(State.completed, #marked - #oldest)
  forget(oldest, marked)
end

-- Deletes the long texts of the oldest runs until those of the others take no more bytes than are kept. The runs stay: who reads
-- one finds that its text is missing.
local function deleteLong(most)
  if not KEEP_BYTES then return end
  local over, texts = tonumber(call('HGET', META, 'largeBytes') or 0) + (counts['largeBytes'] or 0) - KEEP_BYTES, {}
  while over > 0 and #texts < most * 2 do
    local id = call('LPOP', LONG_FINISHED)
    if not id then break end
    local bytes = longBytesOf(id)
    over = over - bytes
    count('largeBytes', -bytes)
    texts[#texts + 1], texts[#texts + 2] = ApartText.payload .. id, ApartText.result .. id
  end
  many('HDEL', LARGE, texts)
end

-- Forgets the first runs of the list that ended too long ago, up to a bound. Returns whether there may be more of them.
local function forgetOld(most)
  local first = KEEP_FOR and call('LINDEX', FINISHED, 0)
  if not first then return false end
  local function isOld(id)
    local record = call('HGET', RECORD, id)
    return not record or endedAt(record) + KEEP_FOR <= now
  end
  local function idOf(entry)
    return byte(entry, 1) == 0 and sub(entry, FinishedEntry.length + 1) or entry
  end
  if not isOld(idOf(first)) then return false end
  local oldest, number = call('LRANGE', FINISHED, 0, most - 1), 1
  while number < #oldest and isOld(idOf(oldest[number + 1])) do
    number = number + 1
  end
  forgetEntries(call('LPOP', FINISHED, number))
  return number == most
end

-- Forgets at most a thousand more than were added, so that a limit which was lowered does not block the server.
local function keepFinished(entries)
  local added = #entries
  if added == 0 then return end
  many('RPUSH', FINISHED, entries)
  local long, bytes = {}, 0
  for index = 1, added do
    if byte(entries[index], 1) == 0 then
      local id = sub(entries[index], FinishedEntry.length + 1)
      local own = longBytesOf(id)
      if own > 0 then
        long[#long + 1], bytes = id, bytes + own
      end
    end
  end
  many('RPUSH', LONG_FINISHED, long)
  count('largeBytes', bytes)
  forgetOld(added + 1000)
  local total = KEEP >= 0 and call('LLEN', FINISHED) or 0
  if KEEP >= 0 and total > KEEP then forgetEntries(call('LPOP', FINISHED, math.min(total - KEEP, added + 1000))) end
  if bytes > 0 then deleteLong(added + 1000) end
end

-- Keeps runs whose results were collected, or have expired, like any other ended run.
local function keepUnawaited(ids)
  if #ids == 0 then return end
  checkRights()
  local records, entries = readAll(RECORD, ids), {}
  for index = 1, #ids do
    if records[index] then entries[#entries + 1] = entryOf(ids[index], records[index]) end
  end
  many('ZREM', AWAITED, ids)
  keepFinished(entries)
end

local function expireAwaited()
  keepUnawaited(call('ZRANGEBYSCORE', AWAITED, '-inf', now, 'LIMIT', 0, 1000))
end

local function writeEnded()
  if #newlyDead > 0 then
    many('ZADD', DEAD, newlyDead)
    writeGroups()
  end
  many('ZADD', AWAITED, newlyAwaited)
  keepFinished(newlyFinished)
  if hasAwaitedEnd then
    expireAwaited()
    call('PUBLISH', RESULT, '')
  end
end

local UNREADABLE = GroupMark.before
  .. Unreadable.group.id
  .. GroupMark.after
  .. ',"failures":0,"stalls":0,"releases":0,"rateLimits":0,"redrives":0,"resetEpoch":0,"errors":[{"epoch":%.0f,"at":%s,'
  .. '"name":"'
  .. Unreadable.name
  .. '","message":"'
  .. Unreadable.message
  .. '","reason":"ended"}]}'

-- Makes a dead letter of a run that cannot be read: it is listed, counted by the audit, and can be discarded. The readable parts
-- of it are kept.
local function quarantine(id, tag, why)
  local body, record = call('HGET', BODY, id), call('HGET', RECORD, id)
  if not isBody(body) then
    body = NOW .. Kind.none.plain .. tag .. '\0null'
    call('HSET', BODY, id, body)
  end
  local epoch = record and string.match(fieldOf(record, Record.epoch), Record.epoch.pattern) or Record.epoch.zeros
  local rest = string.format(UNREADABLE, tonumber(epoch), NOW, why)
  local createdAt = fieldOf(body, Body.createdAt)
  local unreadable = firstRecord({
    state = State.failed,
    flags = freshFlags(body),
    epoch = epoch,
    submittedAt = createdAt,
    endedAt = NOW,
    runAt = lateInstant(createdAt),
  }, '\0' .. rest .. '\0')
  call('HSET', RECORD, id, joinGroup(id, unreadable, laneOf(body)))
  call('HDEL', STACKS, id)
  call('ZADD', DEAD, 0, id)
  writeGroups()
  count(State.failed, 1)
end
