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
 * Claiming: promotes what is due, then starts what is next, lane by lane, past runs whose key is full. Everything is read
 * before the first run is taken out of its lane, so that a script that stops has taken none.
 */
export const claim: string = String.raw`
-- Records are those of runs that were started before, at these places of the claim; payloads those kept apart.
local got = { ids = {}, bodies = {}, places = {}, records = {}, over = {}, payloads = {} }
local taken, bytes, starts, leases, leaseUntil, leaseText, epochs = 0, 0, {}, {}, 0, '', {}
-- What is to be taken out of lanes and their fronts, parked, and set aside.
local trims, takenFront, toPark, unreadable = {}, {}, {}, {}
-- Runs that a script has started which was stopped before it gave them a lease.
local unleased = {}
-- So many runs that cannot start are passed by one claim, so that a lane full of them stalls nobody.
local MOST_PASSED = 2000
-- So many are looked at in one step.
local STEP = 2000

local function isLeased(id, record)
  return ${isIn('record', 'started')} and call('ZSCORE', LEASES, id)
end

-- What is due goes to the back of its lane. Where it is already, by a script that was stopped half-way, it stays.
local function promote(key, tag, most)
  local until_ = tag .. '\0' .. dueText(now + 1)
  local due = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. until_, 'LIMIT', 0, math.max(most, 1000))
  if #due == 0 then return end
  local ids, written, promoted = {}, {}, {}
  for index = 1, #due do ids[index] = sub(due[index], #tag + ${behind(SCHEDULED_ENTRY) + 1}) end
  local records = readAll(RECORD, ids)
  for index = 1, #due do
    local id, record = ids[index], records[index]
    if record and ${isIn('record', 'scheduled')} and isRecord(record) then
      promoted[#promoted + 1] = id
      written[#written + 1] = id
      written[#written + 1] = ${rewritten('record', { state: letter('submitted'), submittedAt: 'NOW', laneSeq: 'NOWHERE' })}
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

-- The record of every first start of a lane by its flags: one text, as Lua looks at each character of a new one.
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
      laneHash: 'noteOf(tag)',
    })}
    startTexts[tag][bits] = record
  end
  return record
end

-- The record of a run that starts once more, as core's transition would have it.
local function startedAgain(tag, record, bits)
  local flags = flagsOf(record)
  local first, latest = sub(record, ${field(RECORD, 'firstStartedAt')}), NOW
  if first == NEVER then first, latest = NOW, sub(record, ${field(RECORD, 'startedAt')}) end
  return ${rewritten('record', {
    state: letter('started'),
    flags: `char(${byteOf(NO_FLAGS)} + flags - flags % ${FLAGS.takesSlot * 2} + bits)`,
    epoch: `epochAfter(sub(record, ${field(RECORD, 'epoch')}))`,
    firstStartedAt: 'first',
    startedAt: 'latest',
    heartbeatAt: 'NOW',
    laneSeq: 'noteOf(tag)',
  })}
end

local function start(tag, id, entry, bits)
  local body, record = entry.body, entry.record
  taken = taken + 1
  -- The first start of a run needs no telling: it follows from the body and the instant.
  local new
  if record then
    new = startedAgain(tag, record, bits)
    local place = #got.places + 1
    got.places[place], got.records[place] = taken, new
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
  for index = 1, #got.places do ids[index] = got.ids[got.places[index]] end
  return stacksOf(ids, got.records)
end

local function park(tag, id, entry)
  local order = entry.order or orderText(call('HINCRBY', META, 'order', 1))
  local record = entry.record
  if record then record = ${rewritten('record', { laneSeq: 'order' })}
  else
    local createdAt = sub(entry.body, ${field(BODY, 'createdAt')})
    record = ${firstRecord({
      state: letter('submitted'),
      flags: 'freshFlags(entry.body)',
      submittedAt: 'createdAt',
      runAt: lateInstant('createdAt'),
      laneSeq: 'order',
    })}
  end
  call('HSET', RECORD, id, record)
  call('ZADD', PARKED, 0, entry.key .. '\0' .. tag .. '\0' .. entry.limit .. '\0' .. order .. id)
end

-- Whether the run was started, which a full key that waits prevents.
local function startOrPark(tag, id, entry)
  local whenFull, limit, key = concurrencyOf(entry.body)
  if not whenFull then
    start(tag, id, entry, 0)
  elseif heldOf(key) < tonumber(limit) then
    holdKey(key, 1)
    start(tag, id, entry, ${FLAGS.takesSlot})
  elseif whenFull == '${BODY_KINDS.claim.plain}' then
    start(tag, id, entry, 0)
    got.over[#got.over + 1] = taken
  else
    entry.key, entry.limit = key, limit
    toPark[#toPark + 1] = { tag, id, entry }
    return false
  end
  return true
end

-- The next of those at the front of a lane, and after these of the list, from a place on.
local function peek(key, tag, at, most)
  if not at.isPastFront then
    local entries = call('ZRANGEBYLEX', FRONT, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', at.front, most)
    if #entries > 0 then
      local ids, orders = {}, {}
      for index = 1, #entries do
        orders[index] = sub(entries[index], ${fieldPast('tag', FRONT_ENTRY, 'laneSeq')})
        ids[index] = sub(entries[index], #tag + ${behind(FRONT_ENTRY) + 1})
      end
      return ids, orders, entries
    end
    at.isPastFront = true
  end
  return call('LRANGE', key, at.list, at.list + most - 1)
end

-- Takes what was looked at: from the front those entries, from the list as many.
local function take(at, entries, used)
  if not entries then
    at.list = at.list + used
    return
  end
  at.front = at.front + used
  for index = 1, used do takenFront[#takenFront + 1] = entries[index] end
end

-- A run that does not wait. Where it stands elsewhere, as its record says, its id is here by mistake.
local function meetStranger(tag, id, record)
  if not isRecord(record) or not find(${letter('scheduled', 'started', ...END_STATES)}, sub(record, ${field(RECORD, 'state')}), 1, true) then
    unreadable[#unreadable + 1] = { id, tag, 'its record' }
  elseif ${isIn('record', 'started')} and not isLeased(id, record) then
    if leasedNoteOf(record) == noteOf(tag) then
      unleased[#unleased + 1] = NOW
      unleased[#unleased + 1] = id
    else unreadable[#unreadable + 1] = { id, tag, 'its record' } end
  end
end

local function claimLane(key, tag, room, most)
  if most.scheduled > 0 then promote(key, tag, room) end
  local passed, at = 0, { front = 0, list = 0, isPastFront = most.front == 0 }
  while room > 0 and passed < MOST_PASSED and bytes < MOST_BYTES do
    local ids, orders, entries = peek(key, tag, at, math.min(room, STEP))
    if #ids == 0 then break end
    local bodies, records, used = readAll(BODY, ids), readAll(RECORD, ids), 0
    local mayBeGhosts, plain = not orders and most.ghosts > 0, firstStart(tag, 0)
    for index = 1, #ids do
      if bytes >= MOST_BYTES then break end
      used = index
      local id, body, record = ids[index], bodies[index], records[index] or nil
      if body and not record and not mayBeGhosts and byte(body, ${startOf(BODY, 'kind')}) == ${byteOf(BODY_KINDS.none.plain)} then
        -- Most runs are such: a first start without a key or notes.
        taken = taken + 1
        got.ids[taken], got.bodies[taken] = id, body
        starts[taken * 2 - 1], starts[taken * 2] = id, plain
        leases[taken * 2 - 1], leases[taken * 2] = leaseText, id
        bytes = bytes + #body
        room = room - 1
      elseif mayBeGhosts and isGhost(tag, id) then passed = passed + 1
      elseif not body or (byte(body, ${startOf(BODY, 'kind')}) ~= ${byteOf(BODY_KINDS.none.plain)} and not isBody(body)) then
        unreadable[#unreadable + 1] = { id, tag, 'its body' }
        passed, isHeldUnknown = passed + 1, isHeldUnknown or orders ~= nil
      elseif record and (${isNotIn('record', 'submitted')} or not isRecord(record)) then
        meetStranger(tag, id, record)
        -- It may have been given back in place of another run of its key.
        passed, isHeldUnknown = passed + 1, isHeldUnknown or orders ~= nil
      elseif startOrPark(tag, id, { body = body, record = record, order = orders and orders[index] }) then
        room = room - 1
      else passed = passed + 1 end
    end
    take(at, entries, used)
  end
  if at.list > 0 then trims[#trims + 1] = { key, at.list } end
end

local function writeClaim()
  -- They leave where they waited last: a script that stops before that has lost none.
  many('HSET', RECORD, starts)
  many('ZADD', LEASES, leases)
  many('ZADD', LEASES, unleased)
  for index = 1, #toPark do park(unpack(toPark[index])) end
  for index = 1, #unreadable do setAside(unpack(unreadable[index])) end
  for index = 1, #trims do call('LTRIM', trims[index][1], trims[index][2], -1) end
  many('ZREM', FRONT, takenFront)
end

local function claimRuns(claim, tags)
  leaseUntil = math.floor(instantOf(now + claim.leaseMs))
  -- As text, made once: a number would be written out anew for each run.
  leaseText = string.format('%.0f', leaseUntil)
  local most = { scheduled = call('ZCARD', SCHEDULED), front = call('ZCARD', FRONT), ghosts = call('HLEN', GHOSTS) }
  for index = 1, #claim.lanes, 2 do
    local lane = claim.lanes[index]
    local room = math.min(claim.lanes[index + 1], claim.limit - taken)
    claimLane(laneKey(lane), tags[lane], room, most)
  end
  writeClaim()
  return most
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
