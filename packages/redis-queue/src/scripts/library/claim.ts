import {
  APART_TEXTS,
  BODY,
  BODY_KINDS,
  END_STATES,
  FIRST_START,
  FLAGS,
  FRONT_ENTRY,
  flagText,
  NO_FLAGS,
  RECORD,
  SCHEDULED_ENTRY,
} from '../../record/layout.ts';
import {
  behind,
  byteOf,
  digits,
  field,
  fieldPast,
  firstRecord,
  isIn,
  isNotIn,
  lateInstant,
  letter,
  rewritten,
  startOf,
  written,
} from '../lua.ts';

/**
 * Claims runs, lane by lane:
 *
 * 1. promotes the runs of the lane that are due
 * 2. starts the next runs, and parks those whose concurrency key has no free slot
 * 3. writes all of it, after the last lane was read: a script that stops before has taken no run out of its lane
 */
export const claim: string = String.raw`
-- What is claimed. restarted are the indexes of the runs that do not start for the first time, records their records,
-- overLimit the indexes of the runs beyond the limit of their key, and payloads those that are kept apart.
local got = { ids = {}, bodies = {}, restarted = {}, records = {}, overLimit = {}, payloads = {} }
local taken, bytes, starts, leases, leaseUntil, leaseText, epochs = 0, 0, {}, {}, 0, '', {}
-- What is to be taken out of lanes and their fronts, to be parked, and to be quarantined.
local trims, takenFront, toPark, unreadable = {}, {}, {}, {}
-- Runs that were started by a script that stopped before it wrote their leases.
local unleased = {}
-- How many runs that cannot start one claim passes over in a lane, so that a lane full of them does not block the server.
local MAX_PASSED = 2000
-- How many runs are read in one step.
local STEP = 2000

local function isLeased(id, record)
  return ${isIn('record', 'started')} and call('ZSCORE', LEASES, id)
end

-- Runs that are due go to the back of their lane, except those that a script which stopped half-way has put there already.
local function promote(key, tag, limit)
  local until_ = tag .. '\0' .. dueText(now + 1)
  local due = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. until_, 'LIMIT', 0, math.max(limit, 1000))
  if #due == 0 then return end
  local ids, written, promoted = {}, {}, {}
  for index = 1, #due do ids[index] = sub(due[index], #tag + ${behind(SCHEDULED_ENTRY) + 1}) end
  local records = readAll(RECORD, ids)
  for index = 1, #due do
    local id, record = ids[index], records[index]
    if record and ${isIn('record', 'scheduled')} and isRecord(record) then
      promoted[#promoted + 1] = id
      written[#written + 1] = id
      written[#written + 1] = ${rewritten('record', { state: letter('submitted'), submittedAt: 'NOW', laneSeq: 'NO_SEQ' })}
    elseif not (record and isRecord(record) and (${isIn('record', 'submitted')} or isLeased(id, record))) then
      unreadable[#unreadable + 1] = { id, tag, 'its record' }
    end
  end
  pushBack(key, tag, promoted)
  many('HSET', RECORD, written)
  many('ZREM', SCHEDULED, due)
end

local function epochAfter(text)
  local next = epochs[text]
  if not next then
    next = string.format(${digits(RECORD, 'epoch')}, tonumber(text) + 1)
    epochs[text] = next
  end
  return next
end

-- The records of first starts by lane and flags. Runs share one text, because Lua hashes every new one.
local startTexts = {}
local function firstStart(tag, bits)
  if not startTexts[tag] then startTexts[tag] = {} end
  local record = startTexts[tag][bits]
  if not record then
    record = ${written(FIRST_START, {
      state: letter('started'),
      flags: `char(${byteOf(flagText('short'))} + bits)`,
      startedAt: 'NOW',
      heartbeatAt: 'NOW',
      laneHash: 'laneHashOf(tag)',
    })}
    startTexts[tag][bits] = record
  end
  return record
end

-- The record of a run that starts again, as core's transition makes it.
local function startedAgain(tag, record, bits)
  local flags = flagsOf(record)
  local first = sub(record, ${field(RECORD, 'firstStartedAt')})
  if first == NEVER then first = NOW end
  return ${rewritten('record', {
    state: letter('started'),
    flags: `char(${byteOf(NO_FLAGS)} + flags - flags % ${FLAGS.takesSlot * 2} + bits)`,
    epoch: `epochAfter(sub(record, ${field(RECORD, 'epoch')}))`,
    firstStartedAt: 'first',
    startedAt: 'NOW',
    heartbeatAt: 'NOW',
    laneSeq: 'laneHashOf(tag)',
  })}
end

local function start(tag, id, entry, bits)
  local body, record = entry.body, entry.record
  taken = taken + 1
  -- Of a first start only the body is answered: its record follows from that and the instant.
  local new
  if record then
    new = startedAgain(tag, record, bits)
    local next = #got.restarted + 1
    got.restarted[next], got.records[next] = taken, new
    bytes = bytes + #new
    if hasStack(record) then bytes = bytes + call('HSTRLEN', STACKS, id) end
  else
    new = firstStart(tag, isNoted(body) and bits + ${FLAGS.noted} or bits)
  end
  if hasLargePayload(body) then
    local payload = call('HGET', LARGE, '${APART_TEXTS.payload}' .. id)
    got.payloads[#got.payloads + 1] = payload
    bytes = bytes + (payload and #payload or 0)
  end
  got.ids[taken], got.bodies[taken] = id, body
  starts[taken * 2 - 1], starts[taken * 2] = id, new
  leases[taken * 2 - 1], leases[taken * 2] = leaseText, id
  bytes = bytes + #body
end

local function stacksOfStarts()
  local ids = {}
  for index = 1, #got.restarted do ids[index] = got.ids[got.restarted[index]] end
  return stacksOf(ids, got.records)
end

local function park(tag, id, entry)
  local seq = entry.seq or seqText(call('HINCRBY', META, 'laneSeq', 1))
  local record = entry.record
  if record then record = ${rewritten('record', { laneSeq: 'seq' })}
  else
    local createdAt = sub(entry.body, ${field(BODY, 'createdAt')})
    record = ${firstRecord({
      state: letter('submitted'),
      flags: 'freshFlags(entry.body)',
      submittedAt: 'createdAt',
      runAt: lateInstant('createdAt'),
      laneSeq: 'seq',
    })}
  end
  call('HSET', RECORD, id, record)
  call('ZADD', PARKED, 0, entry.key .. '\0' .. tag .. '\0' .. entry.limit .. '\0' .. seq .. id)
end

-- Starts a run, or parks it where its key is full and it is to wait. Returns whether it was started.
local function startOrPark(tag, id, entry)
  local whenFull, limit, key = concurrencyOf(entry.body)
  if not whenFull then
    start(tag, id, entry, 0)
  elseif slotsTakenOf(key) < tonumber(limit) then
    changeSlots(key, 1)
    start(tag, id, entry, ${FLAGS.takesSlot})
  elseif whenFull == '${BODY_KINDS.claim.plain}' then
    start(tag, id, entry, 0)
    got.overLimit[#got.overLimit + 1] = taken
  else
    entry.key, entry.limit = key, limit
    toPark[#toPark + 1] = { tag, id, entry }
    return false
  end
  return true
end

-- The next ids of a lane from the position at on: those at its front, with their orders and entries, then those of its list.
local function peek(key, tag, at, limit)
  if not at.isPastFront then
    local entries = call('ZRANGEBYLEX', FRONT, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', at.front, limit)
    if #entries > 0 then
      local ids, seqs = {}, {}
      for index = 1, #entries do
        seqs[index] = sub(entries[index], ${fieldPast('tag', FRONT_ENTRY, 'laneSeq')})
        ids[index] = sub(entries[index], #tag + ${behind(FRONT_ENTRY) + 1})
      end
      return ids, seqs, entries
    end
    at.isPastFront = true
  end
  return call('LRANGE', key, at.list, at.list + limit - 1)
end

-- Marks the first ids that peek returned as used: entries of the front, or as many ids of the list.
local function take(at, entries, used)
  if not entries then
    at.list = at.list + used
    return
  end
  at.front = at.front + used
  for index = 1, used do takenFront[#takenFront + 1] = entries[index] end
end

-- Handles an id in a lane whose run is not waiting. Where its record has another state, the id is only dropped.
local function checkStray(tag, id, record)
  if not isRecord(record) or not find(${letter('scheduled', 'started', ...END_STATES)}, sub(record, ${field(RECORD, 'state')}), 1, true) then
    unreadable[#unreadable + 1] = { id, tag, 'its record' }
  elseif ${isIn('record', 'started')} and not isLeased(id, record) then
    if startedLaneHashOf(record) == laneHashOf(tag) then
      unleased[#unleased + 1] = NOW
      unleased[#unleased + 1] = id
    else unreadable[#unreadable + 1] = { id, tag, 'its record' } end
  end
end

local function claimLane(key, tag, room, sizes)
  if sizes.scheduled > 0 then promote(key, tag, room) end
  local passed, at = 0, { front = 0, list = 0, isPastFront = sizes.front == 0 }
  while room > 0 and passed < MAX_PASSED and bytes < MAX_REPLY_BYTES do
    local ids, seqs, entries = peek(key, tag, at, math.min(room, STEP))
    if #ids == 0 then break end
    local bodies, records, used = readAll(BODY, ids), readAll(RECORD, ids), 0
    local mayBeCancelled, plain = not seqs and sizes.cancelled > 0, firstStart(tag, 0)
    for index = 1, #ids do
      if bytes >= MAX_REPLY_BYTES then break end
      used = index
      local id, body, record = ids[index], bodies[index], records[index] or nil
      if body and not record and not mayBeCancelled and byte(body, ${startOf(BODY, 'kind')}) == ${byteOf(BODY_KINDS.none.plain)} then
        -- The common case: a first start without key and notes.
        taken = taken + 1
        got.ids[taken], got.bodies[taken] = id, body
        starts[taken * 2 - 1], starts[taken * 2] = id, plain
        leases[taken * 2 - 1], leases[taken * 2] = leaseText, id
        bytes = bytes + #body
        room = room - 1
      elseif mayBeCancelled and takeCancelled(tag, id) then passed = passed + 1
      elseif not body or (byte(body, ${startOf(BODY, 'kind')}) ~= ${byteOf(BODY_KINDS.none.plain)} and not isBody(body)) then
        unreadable[#unreadable + 1] = { id, tag, 'its body' }
        passed, areSlotsUnknown = passed + 1, areSlotsUnknown or seqs ~= nil
      elseif record and (${isNotIn('record', 'submitted')} or not isRecord(record)) then
        checkStray(tag, id, record)
        -- It may have been returned to the front for a free slot, which another run of its key takes then.
        passed, areSlotsUnknown = passed + 1, areSlotsUnknown or seqs ~= nil
      elseif startOrPark(tag, id, { body = body, record = record, seq = seqs and seqs[index] }) then
        room = room - 1
      else passed = passed + 1 end
    end
    take(at, entries, used)
  end
  if at.list > 0 then trims[#trims + 1] = { key, at.list } end
end

local function writeClaim()
  -- Runs leave their lanes last: a script that stops before has lost none.
  many('HSET', RECORD, starts)
  many('ZADD', LEASES, leases)
  many('ZADD', LEASES, unleased)
  for index = 1, #toPark do park(unpack(toPark[index])) end
  for index = 1, #unreadable do quarantine(unpack(unreadable[index])) end
  for index = 1, #trims do call('LTRIM', trims[index][1], trims[index][2], -1) end
  many('ZREM', FRONT, takenFront)
end

local function claimRuns(claim, tags)
  leaseUntil = math.floor(instantOf(now + claim.leaseMs))
  -- As text: a number would be formatted anew for each run.
  leaseText = string.format('%.0f', leaseUntil)
  local sizes = { scheduled = call('ZCARD', SCHEDULED), front = call('ZCARD', FRONT), cancelled = call('HLEN', CANCELLED_IN_LANE) }
  for index = 1, #claim.lanes, 2 do
    local lane = claim.lanes[index]
    local room = math.min(claim.lanes[index + 1], claim.limit - taken)
    claimLane(laneKey(lane), tags[lane], room, sizes)
  end
  writeClaim()
  return sizes
end

local function nextDue(claim, tags)
  local next
  for index = 1, #claim.lanes, 2 do
    local tag = tags[claim.lanes[index]]
    local first = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, 1)[1]
    local due = first and tonumber(sub(first, ${fieldPast('tag', SCHEDULED_ENTRY, 'runAt')}))
    if due and (not next or due < next) then next = due end
  end
  return next or -1
end
`;
