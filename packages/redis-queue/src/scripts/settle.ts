/**
 * Settling: the answer to each settlement, as core's `answerSettlement` says, and the move of each that is heard.
 * Two values make one completion of a first start: id, and the record to be. Six make one of any other: id, epoch as in
 * a record, what it is settled by with its final zero, mode (1 only if expired, plus 2 for a release), number of its
 * lane, and the record to be, or the short form of a later completion. The stacks of the records that have one are the
 * arguments from the third on.
 */
export const settle: string = `
local pushes, released, schedules, writes, settledIds = {}, {}, {}, {}, {}
local nextStack, newStacks, staleStacks, current = 3, {}, {}, {}
local FIRST_BY = '1:complete\0'

local function isAlive(id)
  local lease = call('ZSCORE', LEASES, id)
  return lease and tonumber(lease) > now
end

local function isSettledBy(record, by)
  if isShort(record) then return byte(record, 1) == 67 and by == FIRST_BY end
  return sub(record, 107, 106 + #by) == by
end

local function answerOf(old, id, epoch, by, mode)
  if not old then return call('HEXISTS', BODY, id) == 1 and 'f' or 'g' end
  if byte(old, 1) ~= 114 or epochOf(old) ~= epoch then return isSettledBy(old, by) and 'a' or 'f' end
  if mode % 2 == 1 and isAlive(id) then return 'f' end
  return 'o'
end

-- The record of a run that completes later: from 'c', two instants and the result, and what was kept.
local function completed(old, by, short)
  local zero = find(old, '\0', 107, true)
  return (hasStack(old) and 'C8' or 'C0') .. sub(old, 3, 51) .. sub(short, 2, 27) .. sub(old, 78, 90) .. NOWHERE .. by
    .. sub(old, zero + 1, find(old, '\0', zero + 1, true)) .. sub(short, 28)
end

-- A worker that had not heard of a wish to cancel would go on: the wish comes first.
local function obeyWish(flags, record)
  local state = byte(record, 1)
  if flags % 2 == 0 or (state ~= 119 and state ~= 100) then return record end
  return 'X' .. sub(record, 2, 64) .. NOW .. sub(record, 78)
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

local function settleOne(old, id, epoch, by, mode, lane, record)
  local isLater, stack = byte(record, 1) == 99, nil
  if not isLater and hasStack(record) then stack, nextStack = ARGV[nextStack], nextStack + 1 end
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
  current[id] = placeRun(id, obeyWish(flags, record), mode, lane)
  return answer
end

local function settleRuns(batch)
  local ids, answers = {}, {}
  for index = 1, #batch / 6 do ids[index] = batch[index * 6 - 5] end
  local kept = readAll(RECORD, ids)
  for index = 1, #ids do
    local id = ids[index]
    answers[index] = settleOne(current[id] or kept[index], unpack(batch, index * 6 - 5, index * 6))
  end
  return table.concat(answers)
end

-- First completions are settled as one, if each is of a first start that holds no key: those of one claim have one
-- record. Where fewer leases end, a run is among them twice, or they take several commands: then one by one after all.
local function completeAll(ids, records)
  local kept, plain = readAll(RECORD, ids), nil
  for index = 1, #ids do
    local old = kept[index]
    if old ~= plain then
      if not old or sub(old, 1, 2) ~= 'r@' then return false end
      plain = old
    end
  end
  if many('ZREM', LEASES, ids) < #ids then return false end
  many('HSET', RECORD, records)
  count('C', #ids)
  newlyFinished = ids
  return true
end

local function settleFirsts(firsts)
  local ids, batch = {}, {}
  for index = 1, #firsts / 2 do ids[index] = firsts[index * 2 - 1] end
  if completeAll(ids, firsts) then return string.rep('o', #ids) end
  for index = 1, #ids do
    local values = { ids[index], FIRST_EPOCH, FIRST_BY, 0, 0, firsts[index * 2] }
    for at = 1, 6 do batch[#batch + 1] = values[at] end
  end
  return settleRuns(batch)
end
`;
