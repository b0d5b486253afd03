-- @use basics, ended, cancelled-in-lane, lanes

-- Submits runs in every way. Its parameter has what `scripts/submit/submit.lua` has as arguments. Returns a letter for each run. The script
-- has to make `takeTurns` before, if any of its runs may have a fairness key.
local function submitRuns(ARGV)
  local isPlain = ARGV[3] == '' or ARGV[3] == Mark.payloadsFollow
  local request = isPlain and { { sub(KEYS[FIXED + 1], #BODY + 2) }, { 1 }, {}, (#ARGV - 3) / 2 } or cmsgpack.unpack(ARGV[3])
  local tags, lanes, dues, total, follows = unpack(request)
  local doPayloadsFollow = ARGV[3] == Mark.payloadsFollow or follows == 1
  local ids, bodies = {}, {}
  for index = 1, total do
    ids[index], bodies[index] = ARGV[2 + index * 2], ARGV[3 + index * 2]
  end
  checkRights()
  checkLanes()
  if doPayloadsFollow then call('HLEN', LARGE) end
  local hasKept = call('EXISTS', AWAITED, NAMES) > 0
  if hasKept then
    -- First a write that a server without memory refuses: after a deletion it would accept all later writes.
    call('HINCRBY', META, 'created', 0)
    expireAwaited()
    forgetNames(0)
  end
  local known, seen, answers = readAll(BODY, ids), {}, {}
  local written, records, pushes, schedules, created = {}, {}, {}, {}, 0
  local large, nextLarge, stale, fair = {}, 4 + total * 2, {}, {}

  local names, oldNames = {}, {}
  if hasKept then
    for from = 1, #ids, MAX_UNPACKED do
      local part = call('ZMSCORE', NAMES, unpack(ids, from, math.min(from + MAX_UNPACKED - 1, #ids)))
      for index = 1, #part do
        names[from + index - 1] = part[index]
      end
    end
  end

  -- Whether the id is that of a run, or the name of a forgotten one.
  local function isTaken(index, id)
    if known[index] or seen[id] then return true end
    if not names[index] then return false end
    if tonumber(names[index]) > now then return true end
    oldNames[#oldNames + 1] = id
    return false
  end

  local function dueOf(index)
    if #dues == 0 then return now end
    return math.max(dues[index * 2 - 1], now + dues[index * 2])
  end

  for index = 1, #ids do
    local id, body = ids[index], NOW .. bodies[index]
    local isLarge = hasLargePayload(body)
    if isTaken(index, id) then
      answers[index] = Answer.submit.exists
    else
      seen[id] = true
      created = created + 1
      answers[index] = Answer.submit.created
      written[created * 2 - 1], written[created * 2] = id, body
      if isLarge and doPayloadsFollow then
        stale[#stale + 1] = ApartText.payload .. id
      elseif isLarge then
        large[#large + 1] = ApartText.payload .. id
        large[#large + 1] = ARGV[nextLarge]
      end
      local lane, due = lanes[index] or lanes[1], dueOf(index)
      if due > now then
        local record = firstRecord({ state = State.scheduled, flags = freshFlags(body), submittedAt = NOW, runAt = dueText(due) })
        schedules[#schedules + 1] = { lane, id, record }
      else
        local push, fairness = pushes[lane] or {}, fairnessOf(body)
        pushes[lane] = push
        push[#push + 1] = id
        if fairness then
          local flags = freshFlags(body)
          fair[id] = {
            key = fairness,
            record = firstRecord({ state = State.submitted, flags = flags, submittedAt = NOW, runAt = lateInstant(NOW) }),
          }
        end
      end
    end
    if isLarge then nextLarge = nextLarge + 1 end
  end

  -- Removes the ids of cancelled runs at the head of a lane: no worker may claim from it.
  local function removeCancelledAtHead(key, tag, most)
    for _ = 1, most do
      local head = call('LINDEX', key, 0)
      if not head or not takeCancelled(tag, head) then return end
      call('LPOP', key)
    end
  end

  if next(pushes) and call('EXISTS', CANCELLED_IN_LANE) == 1 then
    -- As above: a server without memory refuses this write.
    call('HINCRBY', META, 'created', 0)
    for lane, push in pairs(pushes) do
      removeCancelledAtHead(laneKey(lane), tags[lane], #push * 2)
      removeCancelled(laneKey(lane), tags[lane])
    end
  end

  -- The order of writes, so that a script that stops half-way loses no run:
  -- 1. a write of the kind that bodies need, which fails where they would: a claim would quarantine an id without a body
  -- 2. lanes and schedule: a run exists once it has a body, and one that is in neither would be lost
  -- 3. records and texts, and the bodies last
  if created > 0 then call('HSET', META, 'submittedAt', NOW) end
  putOnSchedule(schedules, tags, records)
  if next(fair) then takeTurns(pushes, tags, fair, records) end
  local wasEmpty = {}
  for lane, push in pairs(pushes) do
    if #push > 0 and many('RPUSH', laneKey(lane), push) == #push then wasEmpty[#wasEmpty + 1] = tags[lane] end
  end
  many('HDEL', LARGE, stale)
  many('HSET', LARGE, large)
  many('HSET', RECORD, records)
  many('HSET', BODY, written)
  count('created', created)
  writeCounts()
  many('ZREM', NAMES, oldNames)
  if created == 0 then
    -- WAITAOF waits for the writes of another connection only if this one writes after them.
    writeWithoutMemory()
    call('HINCRBY', META, 'created', 0)
  end
  for index = 1, #wasEmpty do
    wake(wasEmpty[index])
  end
  return table.concat(answers)
end
