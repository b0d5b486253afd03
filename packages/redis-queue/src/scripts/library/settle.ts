import { settledBy } from '@retry/core/broker/kit';
import { APART_TEXTS, FLAGS, LATER_COMPLETION, LATER_COMPLETION_MARK, RECORD } from '../../record/layout.ts';
import { SETTLEMENT } from '../../record/requests.ts';
import {
  answer,
  argument,
  behind,
  byteOf,
  fields,
  flagsAs,
  has,
  hasMode,
  isIn,
  isNotIn,
  letter,
  rewritten,
  startOf,
} from '../lua.ts';
import { completedLater, movesOneByOne } from './moves.ts';

const COUNT = SETTLEMENT.length;

/**
 * Settles claims: answers each settlement as core's `answerSettlement` does, and moves the run of each that is accepted.
 *
 * - The completion of a first start is two values: id and new record.
 * - Any other settlement is the values of `SETTLEMENT`: the epoch as a record has it, `by` with its final zero
 *   character, the mode as a sum of `SETTLE_MODES`, the number of the lane, the new record or the short form of a later completion,
 *   and in how many milliseconds the run is due (negative: at the `runAt` of the record).
 * - Stacks and large results of the records that have them are the last arguments, in the same order.
 */
export const settle: string = `
local tags = {}
local pushes, released, schedules, writes, settledIds = {}, {}, {}, {}, {}
local nextText, newStacks, staleStacks, newLarge, current = TEXTS_AT, {}, {}, {}, {}
local FIRST_BY = '${settledBy(1, 'complete')}\0'

local function isAlive(id)
  local lease = call('ZSCORE', LEASES, id)
  return lease and tonumber(lease) > now
end

local function isSettledBy(record, by)
  if isShort(record) then return ${isIn('record', 'completed')} and by == FIRST_BY end
  return sub(record, ${behind(RECORD)}, ${RECORD.length} + #by) == by
end

local function answerOf(old, id, epoch, by, mode)
  if not old then return call('HEXISTS', BODY, id) == 1 and ${answer('settle', 'fenced')} or ${answer('settle', 'gone')} end
  if ${isNotIn('old', 'started')} or epochOf(old) ~= epoch then return isSettledBy(old, by) and ${answer('settle', 'already')} or ${answer('settle', 'fenced')} end
  if ${hasMode('mode', 'onlyIfExpired')} and isAlive(id) then return ${answer('settle', 'fenced')} end
  return ${answer('settle', 'ok')}
end

-- The record of a run that completes at a later start, from its short form and its old record.
local function completed(old, by, short)
  local zero = zeroAfter(old, ${behind(RECORD)})
  return ${completedLater(`(hasStack(old) and ${flagsAs('hasStack')} or ${flagsAs()})`, { first: 'zero', second: 'zeroAfter(old, zero + 1)' })}
end

-- A run that would wait again is cancelled instead, if a cancel request came while it was started.
local function applyCancelRequest(flags, record)
  if not (${has('flags', 'cancelRequested')}) or (${isNotIn('record', 'submitted')} and ${isNotIn('record', 'scheduled')}) then return record end
  return ${rewritten('record', { state: letter('cancelled'), endedAt: 'NOW' })}
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
  if delayMs < 0 or ${isNotIn('record', 'scheduled')} then return record end
  return ${rewritten('record', { runAt: 'dueText(now + delayMs)' })}
end

local function moveRun(id, record, mode, lane)
  if ${isIn('record', 'submitted')} and ${hasMode('mode', 'release')} then
    released[#released + 1] = { lane, id, record }
    return record
  elseif ${isIn('record', 'submitted')} then
    local push = pushes[lane] or {}
    pushes[lane] = push
    push[#push + 1] = id
  elseif ${isIn('record', 'scheduled')} then
    schedules[#schedules + 1] = { lane, id, record }
    return record
  else
    record = endRun(id, record, nil, tags[lane])
  end
  writes[#writes + 1] = id
  writes[#writes + 1] = record
  return record
end

local function settleOne(old, ${SETTLEMENT.join(', ')})
  local isLater, stack, result = byte(record, ${startOf(LATER_COMPLETION, 'mark')}) == ${byteOf(LATER_COMPLETION_MARK)}, nil, nil
  if not isLater and hasStack(record) then stack, nextText = ARGV[nextText], nextText + 1 end
  if hasLargeResult(record) then result, nextText = ARGV[nextText], nextText + 1 end
  local answer = answerOf(old, id, epoch, by, mode)
  if answer ~= ${answer('settle', 'ok')} then return answer end
  local flags = flagsOf(old)
  settledIds[#settledIds + 1] = id
  if isLater then record = completed(old, by, record)
  elseif stack then
    newStacks[#newStacks + 1] = id
    newStacks[#newStacks + 1] = stack
  elseif hasStack(old) then staleStacks[#staleStacks + 1] = id end
  if result then
    newLarge[#newLarge + 1] = '${APART_TEXTS.result}' .. id
    newLarge[#newLarge + 1] = result
  end
  if ${has('flags', 'noted')} then record = withFlags(record, flagsOf(record) + ${FLAGS.noted}) end
  local isWaiting = ${isIn('record', 'submitted')} or ${isIn('record', 'scheduled')}
  if isWaiting or isDeadLetter(record) then lane = laneOfStarted(id, old, lane) end
  record = applyCancelRequest(flags, dueAfter(record, dueInMs))
  if ${has('flags', 'takesSlot')} then record = keepOrFreeSlot(id, record) end
  current[id] = moveRun(id, record, mode, lane)
  return answer
end

local function settleRuns(batch)
  local ids, answers = {}, {}
  for index = 1, #batch / ${COUNT} do ids[index] = batch[(index - 1) * ${COUNT} + ${SETTLEMENT.indexOf('id') + 1}] end
  local kept = readAll(RECORD, ids)
  for index = 1, #ids do
    local id = ids[index]
    answers[index] = settleOne(current[id] or kept[index], unpack(batch, (index - 1) * ${COUNT} + 1, index * ${COUNT}))
  end
  return table.concat(answers)
end

-- Completions of first starts are settled together, if none of the runs takes a slot: those of one claim share one record. Where
-- fewer leases are removed than ids were given, a run is among them twice, or it took several commands: then one by one.
local PLAIN_START = ${letter('started')} .. ${flagsAs('short')}
local NOTED_START = ${letter('started')} .. ${flagsAs('short', 'noted')}
local function completeAll(ids, records)
  local kept, plain, isNotedStart, noted, isNotedAt = readAll(RECORD, ids), nil, false, {}, {}
  for index = 1, #ids do
    local old = kept[index]
    if old ~= plain then
      local head = old and sub(old, ${fields(RECORD, 'state', 'flags')})
      if head ~= PLAIN_START and head ~= NOTED_START then return false end
      plain, isNotedStart = old, head == NOTED_START
    end
    if isNotedStart then noted[#noted + 1], isNotedAt[index] = ids[index], #noted + 1 end
  end
  if many('ZREM', LEASES, ids) < #ids then return false end
  if #noted == 0 then
    count(${letter('completed')}, #ids)
    newlyFinished = ids
  else
    local bodies = readAll(BODY, noted)
    for index = 1, #ids do
      local at = isNotedAt[index]
      if at then records[index * 2] = withFlags(records[index * 2], ${FLAGS.short + FLAGS.noted}) end
      endRun(ids[index], records[index * 2], at and bodies[at])
    end
  end
  many('HSET', RECORD, records)
  return true
end

local function addSettlement(batch, settlement)
  local values = { ${SETTLEMENT.map((name) => `settlement.${name}`).join(', ')} }
  for at = 1, ${COUNT} do batch[#batch + 1] = values[at] end
end

local function settleFirsts(firsts)
  local ids, batch = {}, {}
  for index = 1, #firsts / 2 do ids[index] = firsts[index * 2 - 1] end
  if completeAll(ids, firsts) then return string.rep(${answer('settle', 'ok')}, #ids) end
  for index = 1, #ids do
    addSettlement(batch, { id = ids[index], epoch = FIRST_EPOCH, by = FIRST_BY, mode = 0, lane = 0, record = firsts[index * 2], dueInMs = -1 })
  end
  return settleRuns(batch)
end
`;

/** Settles everything, and writes it. @param beforeWrites - statements that may read the `answers` */
export const settlingEverything = (beforeWrites: string): string => `
local batch, firsts = {}, {}
if ${argument('others')} ~= '' then
  local groupTitles
  tags, batch, groupTitles = unpack(cmsgpack.unpack(${argument('others')}))
  if groupTitles then readTitles(groupTitles) end
end
for index = 1, firstsCount do firsts[index * 2 - 1], firsts[index * 2] = ARGV[FIRSTS_AT + index], ARGV[FIRSTS_AT + plainCount + index] end
${movesOneByOne}
checkRights()
checkLanes()
writeWithoutMemory()
local answers = settleFirsts(firsts) .. settleRuns(batch)${beforeWrites}
-- The order of writes, so that a script that stops half-way loses nothing when the settlements are sent again:
-- 1. texts that are kept apart, and the new locations of waiting runs
-- 2. their records, by which a settlement that is sent again is answered
-- 3. everything that would not be done again then
many('HSET', STACKS, newStacks)
many('HSET', LARGE, newLarge)
for lane, ids in pairs(pushes) do pushBack(laneKey(lane), tags[lane], ids) end
pushFront(released, tags, writes)
putOnSchedule(schedules, tags, writes)
many('HSET', RECORD, writes)
writeSlots()
many('ZREM', LEASES, settledIds)
many('HDEL', STACKS, staleStacks)
writeEnded()
writeCounts()
return answers
`;
