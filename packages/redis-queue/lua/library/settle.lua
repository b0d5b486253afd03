-- Settles claims: answers each settlement as core's `answerSettlement` does, and moves the run of each that is accepted.
--
-- - The completion of a first start is two values: id and new record.
-- - Any other settlement is the values of `Settlement`: the epoch as a record has it, `by` with its final zero character, the mode as a
--   sum of `Mode`, the number of the lane, the new record or the short form of a later completion, and in how many milliseconds the run is
--   due (negative: at the `runAt` of the record).
-- - Stacks and large results of the records that have them are arguments from TEXTS_AT on, in the same order.
--
-- @use basics, ended, slots

local tags = {}
local pushes, released, schedules, writes, settledIds = {}, {}, {}, {}, {}
-- The records of runs that go to the back of their lane and may have fairness keys, by id.
local notedPushes = {}
local nextText, newStacks, staleStacks, newLarge, current = TEXTS_AT, {}, {}, {}, {}
local FIRST_BY = By.firstCompletion

local function isAlive(id)
  local lease = call('ZSCORE', LEASES, id)
  return lease and tonumber(lease) > now
end

local function isSettledBy(record, by)
  if isShort(record) then return isIn(record, State.completed) and by == FIRST_BY end
  return sub(record, Record.length + 1, Record.length + #by) == by
end

-- The answer to the settlement whose values follow this index.
local function answerOf(old, batch, at)
  local id, epoch = batch[at + Settlement.id], batch[at + Settlement.epoch]
  local by, mode = batch[at + Settlement.by], batch[at + Settlement.mode]
  if not old then return call('HEXISTS', BODY, id) == 1 and Answer.settle.fenced or Answer.settle.gone end
  if isNotIn(old, State.started) or epochOf(old) ~= epoch then
    return isSettledBy(old, by) and Answer.settle.already or Answer.settle.fenced
  end
  if has(mode, Mode.onlyIfExpired) and isAlive(id) then return Answer.settle.fenced end
  return Answer.settle.ok
end

-- The record of a run that completes at a later start, from its short form and its old record.
local function completed(old, by, short)
  local zero = zeroAfter(old, Record.length + 1)
  return laterFields(old, short, hasStack(old) and flagText(Flag.hasStack) or flagText(0))
    .. by
    .. sub(old, zero + 1, zeroAfter(old, zero + 1))
    .. sub(short, LaterCompletion.length + 1)
end

-- A run that would wait again is cancelled instead, if a cancel request came while it was started.
local function applyCancelRequest(flags, record)
  if not has(flags, Flag.cancelRequested) or (isNotIn(record, State.submitted) and isNotIn(record, State.scheduled)) then return record end
  return rewrite(record, { state = State.cancelled, endedAt = NOW })
end

-- The number of the lane that the run is in, not of the one that the settlement names: a started run has the hash of its lane.
local function laneOfStarted(id, old, lane)
  if startedLaneHashOf(old) == laneHashOf(tags[lane]) then return lane end
  local tag = laneOf(call('HGET', BODY, id) or '')
  for number = 1, #tags do
    if tags[number] == tag then return number end
  end
  tags[#tags + 1] = tag
  moreLanes[#tags] = sub(BODY, 1, -5) .. 'lane:' .. tag
  return #tags
end

-- A delay counts from the instant of writing, by the server's clock.
local function dueAfter(record, delayMs)
  if delayMs < 0 or isNotIn(record, State.scheduled) then return record end
  return rewrite(record, { runAt = dueText(now + delayMs) })
end

local function moveRun(id, record, mode, lane)
  if isIn(record, State.submitted) and has(mode, Mode.release) then
    released[#released + 1] = { lane, id, record }
    return record
  elseif isIn(record, State.submitted) then
    local push = pushes[lane] or {}
    pushes[lane] = push
    push[#push + 1] = id
    if isNotedRecord(record) then notedPushes[id] = record end
  elseif isIn(record, State.scheduled) then
    schedules[#schedules + 1] = { lane, id, record }
    return record
  else
    record = endRun(id, record, nil, tags[lane])
  end
  writes[#writes + 1] = id
  writes[#writes + 1] = record
  return record
end

local function settleOne(old, batch, at)
  local id, lane, record = batch[at + Settlement.id], batch[at + Settlement.lane], batch[at + Settlement.record]
  local isLater, stack, result = isLaterCompletion(record), nil, nil
  if not isLater and hasStack(record) then
    stack, nextText = ARGV[nextText], nextText + 1
  end
  if hasLargeResult(record) then
    result, nextText = ARGV[nextText], nextText + 1
  end
  local answer = answerOf(old, batch, at)
  if answer ~= Answer.settle.ok then return answer end
  local flags = flagsOf(old)
  settledIds[#settledIds + 1] = id
  if isLater then
    record = completed(old, batch[at + Settlement.by], record)
  elseif stack then
    newStacks[#newStacks + 1] = id
    newStacks[#newStacks + 1] = stack
  elseif hasStack(old) then
    staleStacks[#staleStacks + 1] = id
  end
  if result then
    newLarge[#newLarge + 1] = ApartText.result .. id
    newLarge[#newLarge + 1] = result
  end
  if has(flags, Flag.noted) then record = withFlags(record, flagsOf(record) + Flag.noted) end
  local isWaiting = isIn(record, State.submitted) or isIn(record, State.scheduled)
  if isWaiting or isDeadLetter(record) then lane = laneOfStarted(id, old, lane) end
  record = applyCancelRequest(flags, dueAfter(record, batch[at + Settlement.dueInMs]))
  if has(flags, Flag.takesSlot) then record = keepOrFreeSlot(id, record) end
  current[id] = moveRun(id, record, batch[at + Settlement.mode], lane)
  return answer
end

local function settleRuns(batch)
  local ids, answers = {}, {}
  for index = 1, #batch / Settlement.length do
    ids[index] = batch[(index - 1) * Settlement.length + Settlement.id]
  end
  local kept = readAll(RECORD, ids)
  for index = 1, #ids do
    local id = ids[index]
    answers[index] = settleOne(current[id] or kept[index], batch, (index - 1) * Settlement.length)
  end
  return table.concat(answers)
end

-- Completions of first starts are settled together, if none of the runs takes a slot: those of one claim share one record. Where
-- fewer leases are removed than ids were given, a run is among them twice, or it took several commands: then one by one.
local PLAIN_START = State.started .. flagText(Flag.short)
local NOTED_START = State.started .. flagText(Flag.short + Flag.noted)
local function completeAll(ids, records)
  local kept, plain, isNotedStart, noted, isNotedAt = readAll(RECORD, ids), nil, false, {}, {}
  for index = 1, #ids do
    local old = kept[index]
    if old ~= plain then
      local head = old and fieldsOf(old, Record.state, Record.flags)
      if head ~= PLAIN_START and head ~= NOTED_START then return false end
      plain, isNotedStart = old, head == NOTED_START
    end
    if isNotedStart then
      noted[#noted + 1], isNotedAt[index] = ids[index], #noted + 1
    end
  end
  if many('ZREM', LEASES, ids) < #ids then return false end
  if #noted == 0 then
    count(State.completed, #ids)
    newlyFinished = ids
  else
    local bodies = readAll(BODY, noted)
    for index = 1, #ids do
      local at = isNotedAt[index]
      if at then records[index * 2] = withFlags(records[index * 2], Flag.short + Flag.noted) end
      endRun(ids[index], records[index * 2], at and bodies[at])
    end
  end
  many('HSET', RECORD, records)
  return true
end

local function addSettlement(batch, settlement)
  local values = { inOrder(Settlement, settlement) }
  for at = 1, Settlement.length do
    batch[#batch + 1] = values[at]
  end
end

local function settleFirsts(firsts)
  local ids, batch = {}, {}
  for index = 1, #firsts / 2 do
    ids[index] = firsts[index * 2 - 1]
  end
  if completeAll(ids, firsts) then return string.rep(Answer.settle.ok, #ids) end
  for index = 1, #ids do
    addSettlement(
      batch,
      { id = ids[index], epoch = FIRST_EPOCH, by = FIRST_BY, mode = 0, lane = 0, record = firsts[index * 2], dueInMs = -1 }
    )
  end
  return settleRuns(batch)
end
