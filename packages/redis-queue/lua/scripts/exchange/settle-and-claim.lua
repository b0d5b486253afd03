-- Settles finished claims, then makes new ones. The usual way is in line: completions of first starts, and first starts of runs without a
-- concurrency key and notes. Everything else is in functions that make what they need when they are called.
--
-- What is claimed beside ids and bodies, `got`: `restarted` are the indexes of the runs that do not start for the first time, `records` their
-- records, `overLimit` the indexes of the runs beyond the limit of their key, `seen` the ids of runs with a record: what was refused half-way
-- may have put an id into its lane twice. The lists are made when they are needed, because an exchange of a worker that runs one thing at a
-- time often needs none.
--
-- Keys: BODY RECORD META LEASES SCHEDULED FRONT CANCELLED_IN_LANE FINISHED REPLIES HOLDS LANES STACKS LONG_FINISHED LARGE NAMES PARKED
--       SLOTS_TAKEN DEAD GROUPS GROUPED AWAITED PARKED_BY_LANE TURNS BEHIND BEHIND_BY_LANE NOTE_KEYS NOTE_ENDS WORKERS
--
-- ARGV[1…] the values of `Exchange`; the ids of the completions of first starts and of the plain moves; their records; if something is
--          claimed the values of `Claim` and for each lane those of `ClaimLane`; the long texts of other settlements
--
-- Returns the clock, the answers as letters, when the lanes have work next, and the values of `CLAIMED` in `record/requests.ts`.
--
-- @use basics

local ARGV = ARGV
local firstsCount, lanesCount, FIRSTS_AT = tonumber(ARGV[Exchange.firsts]), tonumber(ARGV[Exchange.claimLanes]), Exchange.length
local plainCount = firstsCount + ARGV[Exchange.moves]
local CLAIM_AT = FIRSTS_AT + plainCount * 2
local TEXTS_AT = CLAIM_AT + 1 + (lanesCount < 0 and 0 or Claim.length + lanesCount * ClaimLane.length)
local taken, bytes, settledCount = 0, 0, 0
local ids, bodies, writes, leases, trims, leaseUntil, leaseText, got
-- The limits of the tasks of the lanes, and of what is due in them; nil where none has one.
local laneLimits, dueLimits

-- Completions of first starts, if none of the runs takes a slot or has notes: those of one claim share one record. Plain moves are written
-- immediately, because the claim may take them.
local answers, isPlain = '', ARGV[Exchange.others] == '' and plainCount <= MAX_UNPACKED
if isPlain and plainCount > 0 then
  writes = {}
  local kept, plain = call('HMGET', RECORD, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + plainCount)), nil
  for index = 1, firstsCount do
    local old = kept[index]
    if old ~= plain then
      if not old or fieldsOf(old, Record.state, Record.flags) ~= State.started .. flagText(Flag.short) then
        isPlain = false
        break
      end
      plain = old
    end
    writes[index * 2 - 1], writes[index * 2] = ARGV[FIRSTS_AT + index], ARGV[FIRSTS_AT + plainCount + index]
  end
  settledCount = firstsCount
  if isPlain and plainCount > firstsCount then
    -- @make settleMoves
    isPlain = settleMoves(kept)
  end
end
if isPlain then
  answers = string.rep(Answer.settle.ok, plainCount)
else
  -- @make settleAll
  answers, settledCount, writes = settleAll(), 0, nil
end

local due, again, rare, held, startAgain, known, worker, request, reply = -1, nil, nil, nil, nil, nil, nil, nil, nil
local dues
if lanesCount >= 0 then
  local limit = tonumber(ARGV[CLAIM_AT + Claim.limit])
  worker, request = ARGV[CLAIM_AT + Claim.worker], ARGV[CLAIM_AT + Claim.request]
  reply = worker .. '\0' .. request
  known = call('HMGET', REPLIES, worker, reply)
  if known[2] then
    -- @make recalled
    again = recalled(known[2])
  end
  if ARGV[CLAIM_AT + Claim.concurrency] ~= '' then
    laneLimits = {}
    for limit in string.gmatch(ARGV[CLAIM_AT + Claim.concurrency], '%S+') do
      laneLimits[#laneLimits + 1] = limit ~= Mark.noLaneLimit and limit
    end
  end
  if ARGV[CLAIM_AT + Claim.dueLimits] ~= '' then
    dueLimits = {}
    for limit in string.gmatch(ARGV[CLAIM_AT + Claim.dueLimits], '%S+') do
      dueLimits[#dueLimits + 1] = limit ~= Mark.noLaneLimit and tonumber(limit)
    end
  end
  local isOrdered = true
  if call('EXISTS', SCHEDULED, FRONT, CANCELLED_IN_LANE, HOLDS) > 0 then
    isOrdered = call('EXISTS', FRONT, CANCELLED_IN_LANE) == 0
    dues = {}
    -- @make nextDueOf
    for lane = 1, lanesCount do
      dues[lane] = nextDueOf(lane)
    end
    if call('EXISTS', HOLDS) == 1 then
      -- @make heldClaim
      held = heldClaim()
    end
  end
  for lane = 1, again and 0 or lanesCount do
    local room, isClosed = math.min(tonumber(laneValue(ClaimLane.limit)), limit - taken), false
    if held then
      room, isClosed = held.roomOf(lane, room)
    end
    local isUsual = isOrdered and not (laneLimits and laneLimits[lane])
    local isDue, isLeft = dues and dues[lane] <= now and not isClosed, not isUsual and not isClosed
    local found, foundBodies, records, index
    repeat
      if isUsual and not isDue and room > 0 and bytes < MAX_REPLY_BYTES then
        local key = KEYS[FIXED + lane]
        -- Text where it can be: Redis formats each number that a command gets, which takes as long as a short command.
        found = call('LRANGE', key, '0', room == 1 and '0' or math.min(room, MAX_UNPACKED) - 1)
        local length = #found
        index = 1
        if length > 0 then
          -- @include begin-to-take
          foundBodies, records = call('HMGET', BODY, unpack(found)), call('HMGET', RECORD, unpack(found))
          -- One text for all: Lua hashes every new one.
          local hash = laneValue(ClaimLane.hash)
          local plain =
            write(FirstStart, { state = State.started, flags = flagText(Flag.short), startedAt = NOW, heartbeatAt = NOW, laneHash = hash })
          local written, leased = #writes, #leases
          while index <= length and bytes < MAX_REPLY_BYTES do
            local id, body, record = found[index], foundBodies[index], plain
            if not body or byte(body, Body.kind.from) ~= byte(Kind.none.plain) then break end
            if records[index] then
              if not startAgain then
                -- @make startingAgain
                startAgain = startingAgain()
              end
              record = startAgain(id, records[index], hash)
              if not record then break end
            end
            taken = taken + 1
            ids[taken], bodies[taken] = id, body
            writes[written + 1], writes[written + 2] = id, record
            leases[leased + 1], leases[leased + 2] = leaseText, id
            written, leased, bytes, index = written + 2, leased + 2, bytes + #body, index + 1
          end
          isLeft = index <= length or (length == MAX_UNPACKED and room > length)
          if not isLeft then trims[#trims + 1] = { key, length } end
        end
      end
      local wasDue = isDue
      if isDue or isLeft then
        if not rare then
          -- @make rareClaim
          rare = rareClaim()
        end
        if isDue then
          local dueLimit = dueLimits and dueLimits[lane]
          rare.promote(lane, room, dueLimit)
          dues[lane], isDue = nextDueOf(lane), false
          if dueLimit then
            isUsual, isLeft = false, true
          end
        elseif index then
          rare.claimLane(lane, room - index + 1, { ids = found, bodies = foundBodies, records = records, from = index })
        elseif room > 0 and bytes < MAX_REPLY_BYTES then
          rare.claimLane(lane, room)
        end
      end
    until not wasDue
    if held then held.note(lane) end
  end
  if dues then
    for lane = 1, lanesCount do
      if dues[lane] < math.huge and (due < 0 or dues[lane] < due) then due = dues[lane] end
    end
  end
end

-- The order of writes, so that a script that stops half-way loses nothing when it is sent again: the records, by which settlements are
-- answered, then what would not be done again; started runs leave their lanes last. A deletion comes first: see writeWithoutMemory.
if held then held.write() end
if settledCount + taken > 0 then
  call('HDEL', CANCELLED_IN_LANE, '')
  if #writes > MAX_UNPACKED then
    -- @make inPieces
    inPieces('HSET', RECORD, writes)
  else
    call('HSET', RECORD, unpack(writes))
  end
end
if settledCount > 0 then
  call('ZREM', LEASES, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + settledCount))
  local added, total = settledCount, call('RPUSH', FINISHED, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + settledCount))
  -- @include note-completed
end
if taken > 0 then
  if #leases > MAX_UNPACKED then
    -- @make inPieces
    inPieces('ZADD', LEASES, leases)
  else
    call('ZADD', LEASES, unpack(leases))
  end
end
if rare then rare.writeOthers() end
if trims then
  for index = 1, #trims do
    call('LTRIM', trims[index][1], trims[index][2], '-1')
  end
end
if rare then rare.writeLast() end
if held then due = held.nextWorkAt() end
if again then
  return {
    now,
    answers,
    due,
    again.startedAt,
    again.leaseUntil,
    again.ids,
    again.bodies,
    again.overLimit,
    again.restarted,
    again.records,
    again.stacks,
  }
elseif taken == 0 then
  return { now, answers, due }
end
-- @include remember
if not got then return { now, answers, due, now, leaseUntil, ids, bodies } end
local stacks = {}
if got.hasStacks then
  -- @make restartedStacks
  stacks = restartedStacks()
end
return { now, answers, due, now, leaseUntil, ids, bodies, got.overLimit, got.restarted, got.records, stacks, got.probes }
