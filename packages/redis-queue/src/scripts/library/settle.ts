/**
 * Settling: the answer to each settlement, as core's `answerSettlement` says, and the move of each that is heard.
 * Two values make one completion of a first start: id, and the record to be. Seven make one of any other: id, epoch as in
 * a record, what it is settled by with its final zero, mode (1 only if expired, plus 2 for a release), number of its
 * lane, and the record to be, or the short form of a later completion, and in how many milliseconds it is due (negative:
 * when the record says). The stacks, and the large results, of the records that have one are the arguments from the
 * fourth on.
 */
export const settle: string = `
local pushes, released, schedules, writes, settledIds = {}, {}, {}, {}, {}
local nextText, newStacks, staleStacks, newLarge, current = 4, {}, {}, {}, {}
local FIRST_BY = '1:complete\0'

local function isAlive(id)
  local lease = call('ZSCORE', LEASES, id)
  return lease and tonumber(lease) > now
end

local function isSettledBy(record, by)
  if isShort(record) then return byte(record, 1) == 67 and by == FIRST_BY end
  return sub(record, 110, 109 + #by) == by
end

local function answerOf(old, id, epoch, by, mode)
  if not old then return call('HEXISTS', BODY, id) == 1 and 'f' or 'g' end
  if byte(old, 1) ~= 114 or epochOf(old) ~= epoch then return isSettledBy(old, by) and 'a' or 'f' end
  if mode % 2 == 1 and isAlive(id) then return 'f' end
  return 'o'
end

-- The record of a run that completes later: from 'c', two instants and the result, and what was kept.
local function completed(old, by, short)
  local zero = zeroAfter(old, 110)
  return (hasStack(old) and 'C8' or 'C0') .. sub(old, 3, 51) .. sub(short, 2, 27) .. sub(old, 78, 93) .. NOWHERE .. by
    .. sub(old, zero + 1, zeroAfter(old, zero + 1)) .. sub(short, 28)
end

-- A worker that had not heard of a wish to cancel would go on: the wish comes first.
local function obeyWish(flags, record)
  local state = byte(record, 1)
  if flags % 2 == 0 or (state ~= 119 and state ~= 100) then return record end
  return 'X' .. sub(record, 2, 64) .. NOW .. sub(record, 78)
end

-- The number of the lane that the run is in, whatever the settlement says: a started run has a note of it.
local function laneOfStarted(id, old, lane)
  if leasedNoteOf(old) == noteOf(tags[lane]) then return lane end
  local tag = laneOf(call('HGET', BODY, id) or '')
  for number = 1, #tags do
    if tags[number] == tag then return number end
  end
  tags[#tags + 1] = tag
  moreLanes[#tags] = sub(BODY, 1, -5) .. 'lane:' .. tag
  return #tags
end

-- From a delay that only a worker knows and a clock that only the server has.
local function dueAfter(record, delayMs)
  if delayMs < 0 or byte(record, 1) ~= 100 then return record end
  return sub(record, 1, 77) .. dueText(now + delayMs) .. sub(record, 94)
end

local function placeRun(id, record, mode, lane)
  local state = byte(record, 1)
  if state == 119 and mode >= 2 then
    released[#released + 1] = { lane, id, record }
    return record
  elseif state == 119 then
    local push = pushes[lane] or {}
    pushes[lane] = push
    push[#push + 1] = id
  elseif state == 100 then
    schedules[#schedules + 1] = { lane, id, record }
    return record
  else
    endRun(id, record)
  end
  writes[#writes + 1] = id
  writes[#writes + 1] = record
  return record
end

local function settleOne(old, id, epoch, by, mode, lane, record, delayMs)
  local isLater, stack, result = byte(record, 1) == 99, nil, nil
  if not isLater and hasStack(record) then stack, nextText = ARGV[nextText], nextText + 1 end
  if hasLargeResult(record) then result, nextText = ARGV[nextText], nextText + 1 end
  local answer = answerOf(old, id, epoch, by, mode)
  if answer ~= 'o' then return answer end
  local flags = flagsOf(old)
  settledIds[#settledIds + 1] = id
  if flags % 4 >= 2 then freeKey(id) end
  if isLater then record = completed(old, by, record)
  elseif stack then
    newStacks[#newStacks + 1] = id
    newStacks[#newStacks + 1] = stack
  elseif hasStack(old) then staleStacks[#staleStacks + 1] = id end
  if result then
    newLarge[#newLarge + 1] = 'r' .. id
    newLarge[#newLarge + 1] = result
  end
  if flags >= 32 then record = withFlags(record, flagsOf(record) + 32) end
  local goesOn = byte(record, 1) == 119 or byte(record, 1) == 100
  if goesOn then lane = laneOfStarted(id, old, lane) end
  current[id] = placeRun(id, obeyWish(flags, dueAfter(record, delayMs)), mode, lane)
  return answer
end

local function settleRuns(batch)
  local ids, answers = {}, {}
  for index = 1, #batch / 7 do ids[index] = batch[index * 7 - 6] end
  local kept = readAll(RECORD, ids)
  for index = 1, #ids do
    local id = ids[index]
    answers[index] = settleOne(current[id] or kept[index], unpack(batch, index * 7 - 6, index * 7))
  end
  return table.concat(answers)
end

-- First completions are settled as one, if each is of a first start that holds no key: those of one claim have one
-- record. Where fewer leases end, a run is among them twice, or they take several commands: then one by one after all.
local NOTED_START = 'r' .. char(96)
local function completeAll(ids, records)
  local kept, plain, isNotedStart, noted, isNotedAt = readAll(RECORD, ids), nil, false, {}, {}
  for index = 1, #ids do
    local old = kept[index]
    if old ~= plain then
      local head = old and sub(old, 1, 2)
      if head ~= 'r@' and head ~= NOTED_START then return false end
      plain, isNotedStart = old, head == NOTED_START
    end
    if isNotedStart then noted[#noted + 1], isNotedAt[index] = ids[index], #noted + 1 end
  end
  if many('ZREM', LEASES, ids) < #ids then return false end
  if #noted == 0 then
    count('C', #ids)
    newlyFinished = ids
  else
    local bodies = readAll(BODY, noted)
    for index = 1, #ids do
      local at = isNotedAt[index]
      if at then records[index * 2] = withFlags(records[index * 2], 48) end
      endRun(ids[index], records[index * 2], at and bodies[at])
    end
  end
  many('HSET', RECORD, records)
  return true
end

local function settleFirsts(firsts)
  local ids, batch = {}, {}
  for index = 1, #firsts / 2 do ids[index] = firsts[index * 2 - 1] end
  if completeAll(ids, firsts) then return string.rep('o', #ids) end
  for index = 1, #ids do
    local values = { ids[index], FIRST_EPOCH, FIRST_BY, 0, 0, firsts[index * 2], -1 }
    for at = 1, 7 do batch[#batch + 1] = values[at] end
  end
  return settleRuns(batch)
end
`;
