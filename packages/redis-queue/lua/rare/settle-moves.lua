-- @use basics

-- Settles completions of first starts and plain moves, and writes them, unless one of them is not what it seems: then it writes nothing
-- and returns false. The caller has looked at the completions of first starts, of which `kept` has the records.
--
-- The order of writes, so that a script that stops half-way loses nothing when the settlements are sent again:
-- 1. runs go to the back of their lane
-- 2. the records, by which settlements are answered
-- 3. what would not be done again then
local function settleMoves(kept)
  local lane, hash = tonumber(ARGV[Exchange.movesLane]), ARGV[Exchange.movesHash]
  local pushed, finished, next, heads, bys, plain = {}, {}, #writes, {}, {}, nil
  for index = 1, firstsCount do
    finished[index] = ARGV[FIRSTS_AT + index]
  end
  for index = firstsCount + 1, plainCount do
    local id, record, old = ARGV[FIRSTS_AT + index], ARGV[FIRSTS_AT + plainCount + index], kept[index]
    if not old then return false end
    local epoch = epochOfMove(record)
    if not heads[epoch] then
      heads[epoch], bys[epoch] = State.started .. flagText(0) .. epoch, byCompletion(epoch)
    end
    if fieldsOf(old, Record.state, Record.epoch) == heads[epoch] then
      if fieldOf(old, Record.laneSeq) ~= hash then return false end
    elseif tonumber(epoch) ~= 1 then
      return false
    elseif old ~= plain then
      -- Runs of one claim that have started for the first time share one record.
      if fieldsOf(old, FirstStart.state, FirstStart.flags) ~= State.started .. flagText(Flag.short) then return false end
      if fieldOf(old, FirstStart.laneHash) ~= hash then return false end
      plain = old
    end
    if isLaterCompletion(record) then
      local zero = find(old, '\0', Record.length + 1, true)
      local second = zero and find(old, '\0', zero + 1, true)
      if not second then return false end
      local short, by = record, bys[epoch]
      record = laterFields(old, short, flagText(0)) .. by .. sub(old, zero + 1, second) .. sub(short, LaterCompletion.length + 1)
      finished[#finished + 1] = id
    else
      pushed[#pushed + 1] = id
    end
    writes[next + 1], writes[next + 2] = id, record
    next = next + 2
  end
  checkRights()
  for number = FIXED + 1, #KEYS do
    call('LLEN', KEYS[number])
  end
  -- A deletion comes first: see writeWithoutMemory.
  call('HDEL', CANCELLED_IN_LANE, '')
  if #pushed > 0 and many('RPUSH', KEYS[FIXED + lane], pushed) == #pushed then wake(tagOf(lane)) end
  many('HSET', RECORD, writes)
  call('ZREM', LEASES, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + plainCount))
  if #finished > 0 then
    local added, total = #finished, many('RPUSH', FINISHED, finished)
    -- @include note-completed
  end
  settledCount, writes = 0, {}
  return true
end
