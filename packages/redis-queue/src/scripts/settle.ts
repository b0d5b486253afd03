/**
 * Settling: the answer to each settlement, as core's `answerSettlement` says, and the move of each that is heard.
 * Six values make one settlement: id, epoch as in a record, what it is settled by with its final zero, mode
 * (1 only if expired, plus 2 for a release), number of its lane, and the record to be, or the short form of a
 * completion. The stacks of the records that have one are the arguments from the third on.
 */
export const settle: string = `
local pushes, released, schedules, writes, settledIds = {}, {}, {}, {}, {}
local nextStack, newStacks, staleStacks = 3, {}, {}

local function isAlive(id)
  local lease = call('ZSCORE', LEASES, id)
  return lease and tonumber(lease) > now
end

local function answerOf(old, id, epoch, by, mode)
  if not old then return call('HEXISTS', BODY, id) == 1 and 'f' or 'g' end
  if sub(old, 107, 106 + #by) == by then return 'a' end
  if byte(old, 1) ~= 114 or sub(old, 3, 12) ~= epoch then return 'f' end
  if mode % 2 == 1 and isAlive(id) then return 'f' end
  return 'o'
end

-- The record of a run that completes: from 'c', two instants and the result, and what was kept.
local function complete(old, by, short)
  local zero = find(old, '\0', 107, true)
  return (flagsOf(old) >= 8 and 'C8' or 'C0') .. sub(old, 3, 51) .. sub(short, 2, 27) .. sub(old, 78, 90) .. NOWHERE .. by
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

local function settleRuns(batch)
  local ids, total = {}, #batch / 6
  for index = 1, total do ids[index] = batch[index * 6 - 5] end
  local kept, current, answers = readAll(RECORD, ids), {}, {}
  for index = 1, total do
    local at, id = index * 6 - 5, ids[index]
    local old, mode, record = current[id] or kept[index], batch[at + 3], batch[at + 5]
    local isShort = byte(record, 1) == 99
    local stack
    if not isShort and flagsOf(record) >= 8 then stack, nextStack = ARGV[nextStack], nextStack + 1 end
    local answer = answerOf(old, id, batch[at + 1], batch[at + 2], mode)
    answers[index] = answer
    if answer == 'o' then
      local flags = flagsOf(old)
      settledIds[#settledIds + 1] = id
      if flags % 4 >= 2 then freeKey(id) end
      if isShort then record = complete(old, batch[at + 2], record)
      elseif stack then
        newStacks[#newStacks + 1] = id
        newStacks[#newStacks + 1] = stack
      elseif flags >= 8 then staleStacks[#staleStacks + 1] = id end
      current[id] = placeRun(id, obeyWish(flags, record), mode, batch[at + 4])
    end
  end
  return table.concat(answers)
end
`;
