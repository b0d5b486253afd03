-- Counts runs by where they are. Up to a number of kept runs it reads each of them; beyond, it compares the counts only.
--
-- Keys: BODY RECORD META LEASES SCHEDULED FRONT PARKED SLOTS_TAKEN CANCELLED_IN_LANE FINISHED DEAD GROUPS GROUPED LANES AWAITED
--       PARKED_BY_LANE TURNS BEHIND BEHIND_BY_LANE
--
-- ARGV[1]  packed: the tags of all lanes
-- ARGV[2]  up to how many runs each is read
--
-- Returns `ok`, the figures of `AuditFigures` and how many runs are in each end state; or `again`, if there are other lanes.
--
-- @use basics, error-groups

local tags, deepUpTo = cmsgpack.unpack(ARGV[1]), tonumber(ARGV[2])
if call('SCARD', LANES) ~= #tags then return { 'again' } end
local meta = {}
local flat = call('HGETALL', META)
for index = 1, #flat, 2 do
  meta[flat[index]] = tonumber(flat[index + 1])
end
local function metaOf(field)
  return meta[field] or 0
end

local submitted = call('ZCARD', FRONT) + call('ZCARD', PARKED) + call('ZCARD', BEHIND) - metaOf('cancelledInLane')
for index = 1, #tags do
  submitted = submitted + call('LLEN', laneKey(index))
end
local scheduled = call('ZCARD', SCHEDULED)
local started = math.max(0, call('ZCARD', LEASES) - 1)
local finished, dead = call('LLEN', FINISHED) + call('ZCARD', AWAITED), call('ZCARD', DEAD)
local kept = submitted + scheduled + started + finished + dead
local unbalanced = math.abs(call('HLEN', BODY) - kept)
  + math.abs(call('ZCARD', PARKED) - call('ZCARD', PARKED_BY_LANE))
  + math.abs(call('ZCARD', BEHIND) - call('ZCARD', BEHIND_BY_LANE))

local ends, sum = {}, 0
for index, letter in ipairs({ each(EndStates) }) do
  ends[index] = metaOf(letter)
  sum = sum + ends[index]
end
unbalanced = unbalanced + math.abs(sum - finished - dead) + math.abs(call('ZCARD', GROUPED) - dead)

-- The dead letters of each group that is counted, and of all.
local groupCounts, grouped, figures = {}, 0, call('HGETALL', GROUPS)
for index = 1, #figures, 2 do
  if find(figures[index], '\0', 1, true) then
    groupCounts[figures[index]] = tonumber(fieldOf(figures[index + 1], Group.count)) or 0
    grouped = grouped + groupCounts[figures[index]]
  end
end
unbalanced = unbalanced + math.abs(grouped - dead)

-- Checks of each run that it is in the location that its record requires, and in no other.
local function checkEachRun()
  local seen, cancelled, slots, keepers, real, takers, listed = {}, {}, {}, {}, {}, {}, {}
  local counted = call('HGETALL', SLOTS_TAKEN)
  for index = 1, #counted, 2 do
    takers[counted[index]] = byte(counted[index], 1) == 1
  end
  local left = call('HGETALL', CANCELLED_IN_LANE)
  for index = 1, #left, 2 do
    cancelled[left[index]] = countOf(left[index + 1])
  end
  local function visit(id, states)
    local body, record = call('HGET', BODY, id), call('HGET', RECORD, id)
    local state = record and fieldOf(record, Record.state) or State.submitted
    if seen[id] or not body or not find(states, state, 1, true) then unbalanced = unbalanced + 1 end
    seen[id] = true
    real[state] = (real[state] or 0) + 1
    if not body or not record or not find(State.submitted .. State.scheduled .. State.started, state, 1, true) then return end
    if not has(flagsOf(record), Flag.takesSlot) then return end
    local _, _, key = concurrencyOf(body)
    key = key or ''
    slots[key] = (slots[key] or 0) + 1
    if state ~= State.started then
      keepers['\0' .. id] = true
    elseif takers['\1' .. id] then
      slots[laneOf(body)] = (slots[laneOf(body)] or 0) + 1
      keepers['\1' .. id] = true
    end
  end
  for index = 1, #tags do
    local ids = call('LRANGE', laneKey(index), 0, -1)
    for _, id in ipairs(ids) do
      local field = tags[index] .. '\0' .. id
      if (cancelled[field] or 0) > 0 then
        cancelled[field] = cancelled[field] - 1
      else
        visit(id, State.submitted)
        listed[id] = tags[index]
      end
    end
  end
  for _, entry in ipairs(call('ZRANGE', FRONT, 0, -1)) do
    visit(sub(entry, find(entry, '\0', 1, true) + (FrontEntry.length + 1)), State.submitted)
  end
  for _, entry in ipairs(call('ZRANGE', PARKED, 0, -1)) do
    local at = find(entry, '\0', 1, true)
    at = find(entry, '\0', at + 1, true)
    at = find(entry, '\0', at + 1, true)
    visit(sub(entry, at + (FrontEntry.length + 1)), State.submitted)
  end
  -- The turns of runs that are in their lists.
  local turns, flat = {}, call('HGETALL', TURNS)
  for index = 1, #flat, 2 do
    local id = flat[index + 1]
    local body = listed[id] and call('HGET', BODY, id) or ''
    if isBody(body) and flat[index] == listed[id] .. '\0' .. (fairnessOf(body) or '') then
      turns[flat[index]] = true
    else
      unbalanced = unbalanced + 1
    end
  end
  for _, entry in ipairs(call('ZRANGE', BEHIND, 0, -1)) do
    local at = zeroAfter(entry, zeroAfter(entry, 1) + 1)
    local id = sub(entry, at + (FrontEntry.length + 1))
    visit(id, State.submitted)
    local isInOrder = fieldOf(call('HGET', RECORD, id) or '', Record.laneSeq) == sub(entry, at + 1, at + FrontEntry.length)
    if not turns[sub(entry, 1, at - 1)] or not isInOrder then unbalanced = unbalanced + 1 end
  end
  for _, entry in ipairs(call('ZRANGE', SCHEDULED, 0, -1)) do
    visit(sub(entry, find(entry, '\0', 1, true) + (ScheduledEntry.length + 1)), State.scheduled)
  end
  for _, id in ipairs(call('ZRANGEBYSCORE', LEASES, '-inf', '(+inf')) do
    visit(id, State.started)
  end
  for _, entry in ipairs(call('LRANGE', FINISHED, 0, -1)) do
    if byte(entry, 1) == 0 then
      visit(sub(entry, FinishedEntry.length + 1), fieldOf(entry, FinishedEntry.state))
    else
      visit(entry, State.completed)
    end
  end
  for _, id in ipairs(call('ZRANGE', AWAITED, 0, -1)) do
    visit(id, EndStates)
  end
  for _, id in ipairs(call('ZRANGE', DEAD, 0, -1)) do
    visit(id, DeadLetterStates)
    local tag, group = laneOf(call('HGET', BODY, id) or ''), groupIn(call('HGET', RECORD, id) or '')
    local name = tag .. '\0' .. group
    groupCounts[name] = (groupCounts[name] or 0) - 1
    if not call('ZSCORE', GROUPED, memberOfGroup(tag, group, id)) then unbalanced = unbalanced + 1 end
  end
  for _, difference in pairs(groupCounts) do
    unbalanced = unbalanced + math.abs(difference)
  end
  for index, letter in ipairs({ each(EndStates) }) do
    unbalanced = unbalanced + math.abs((real[letter] or 0) - ends[index])
  end
  for index = 1, #counted, 2 do
    local name = counted[index]
    local real = keepers[name] and 1 or slots[name] or 0
    unbalanced = unbalanced + math.abs(countOf(counted[index + 1]) - real)
    slots[name], keepers[name] = nil, nil
  end
  for _ in pairs(keepers) do
    unbalanced = unbalanced + 1
  end
  for _, count in pairs(slots) do
    unbalanced = unbalanced + count
  end
end
if kept <= deepUpTo then checkEachRun() end

local created, forgotten = metaOf('created'), metaOf('forgotten')
unbalanced = unbalanced + math.abs(created - kept - forgotten)
return {
  'ok',
  inOrder(
    AuditFigures,
    { created = created, submitted = submitted, scheduled = scheduled, started = started, forgotten = forgotten, unbalanced = unbalanced }
  ),
  unpack(ends),
}
