/** Claiming: promotes what is due, then starts what is next, lane by lane, past runs whose key is full. */
export const claim: string = String.raw`
-- Records are those of runs that were started before, at these places of the claim.
local got = { ids = {}, bodies = {}, places = {}, records = {}, over = {} }
local taken, bytes, starts, leases, leaseUntil, leaseText, epochs = 0, 0, {}, {}, 0, '', {}
-- So many runs that cannot start are passed by one claim, so that a lane full of them stalls nobody.
local MOST_PASSED = 2000

local function promote(key, tag, most)
  local until_ = tag .. '\0' .. string.format('%013.0f', now + 1)
  local due = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. until_, 'LIMIT', 0, math.max(most, 1000))
  if #due == 0 then return end
  local ids, written = {}, {}
  for index = 1, #due do ids[index] = sub(due[index], #tag + 31) end
  local records = readAll(RECORD, ids)
  for index = 1, #due do
    local record = records[index]
    written[index * 2 - 1] = ids[index]
    written[index * 2] = 'w' .. sub(record, 2, 12) .. NOW .. sub(record, 26, 90) .. NOWHERE .. sub(record, 107)
  end
  many('ZREM', SCHEDULED, due)
  many('HSET', RECORD, written)
  pushBack(key, tag, ids)
end

local function epochAfter(text)
  local next = epochs[text]
  if not next then
    next = string.format('%010.0f', tonumber(text) + 1)
    epochs[text] = next
  end
  return next
end

-- The record of every first start that holds no key, or does: one text, as Lua looks at each character of a new one.
local FIRST = { [0] = 'r@' .. NOW .. NOW, [2] = 'rB' .. NOW .. NOW }

-- The record of a run that starts once more, as core's transition would have it.
local function startedAgain(record, bits)
  local flags = flagsOf(record)
  local times = sub(record, 26, 38) == NEVER and NOW .. sub(record, 39, 51) or sub(record, 26, 38) .. NOW
  return 'r' .. char(48 + flags - flags % 4 + bits) .. epochAfter(sub(record, 3, 12)) .. sub(record, 13, 25) .. times
    .. NOW .. sub(record, 65, 90) .. NOWHERE .. sub(record, 107)
end

local function start(id, body, record, bits, isOver)
  taken = taken + 1
  -- The first start of a run needs no telling: it follows from the body and the instant.
  local new = FIRST[bits]
  if record then
    new = startedAgain(record, bits)
    local place = #got.places + 1
    got.places[place], got.records[place] = taken, new
    bytes = bytes + #new
  end
  got.ids[taken], got.bodies[taken] = id, body
  if isOver then got.over[#got.over + 1] = taken end
  starts[taken * 2 - 1], starts[taken * 2] = id, new
  leases[taken * 2 - 1], leases[taken * 2] = leaseText, id
  bytes = bytes + #body
end

local function stacksOfStarts()
  local ids = {}
  for index = 1, #got.places do ids[index] = got.ids[got.places[index]] end
  return stacksOf(ids, got.records)
end

local function park(tag, id, entry, whose)
  local order = entry.order or orderText(call('HINCRBY', META, 'order', 1))
  local record = entry.record
  if record then record = sub(record, 1, 90) .. order .. sub(record, 107)
  else
    local at = sub(entry.body, 1, 13)
    record = 'w00000000000' .. at .. NEVER .. NEVER .. NEVER .. NEVER .. at .. order .. '\0\0'
  end
  call('HSET', RECORD, id, record)
  call('ZADD', PARKED, 0, whose.key .. '\0' .. tag .. '\0' .. whose.limit .. '\0' .. order .. id)
end

-- Whether the run was started, which a full key that waits prevents.
local function startOrPark(tag, id, entry)
  local whenFull, limit, key = concurrencyOf(entry.body)
  if heldOf(key) < tonumber(limit) then
    holdKey(key, 1)
    start(id, entry.body, entry.record, 2, false)
  elseif whenFull == 'c' then
    start(id, entry.body, entry.record, 0, true)
  else
    park(tag, id, entry, { key = key, limit = limit })
    return false
  end
  return true
end

local function takeFront(tag, room)
  local entries = call('ZRANGEBYLEX', FRONT, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, room)
  if #entries == 0 then return nil end
  many('ZREM', FRONT, entries)
  local ids, orders, skip = {}, {}, #tag + 2
  for index = 1, #entries do
    orders[index] = sub(entries[index], skip, skip + 15)
    ids[index] = sub(entries[index], skip + 16)
  end
  return ids, orders
end

-- A run that was cancelled in its lane leaves its id behind there, and a note of that.
local function isGhost(tag, id)
  local field = tag .. '\0' .. id
  local left = tonumber(call('HGET', GHOSTS, field) or 0)
  if left == 0 then return false end
  if left == 1 then call('HDEL', GHOSTS, field) else call('HINCRBY', GHOSTS, field, -1) end
  count('ghosts', -1)
  return true
end

local function claimLane(key, tag, room, most)
  if most.scheduled > 0 then promote(key, tag, room) end
  local passed = 0
  while room > 0 and passed < MOST_PASSED do
    local ids, orders
    if most.front > 0 then ids, orders = takeFront(tag, room) end
    if not ids then ids = call('LPOP', key, room) end
    if not ids then return end
    local bodies, records = readAll(BODY, ids), readAll(RECORD, ids)
    for index = 1, #ids do
      local id, body, record = ids[index], bodies[index], records[index] or nil
      if (not orders and most.ghosts > 0 and isGhost(tag, id)) or not body then passed = passed + 1
      elseif byte(body, 14) == 45 then
        start(id, body, record, 0, false)
        room = room - 1
      elseif startOrPark(tag, id, { body = body, record = record, order = orders and orders[index] }) then
        room = room - 1
      else passed = passed + 1 end
    end
  end
end

local function claimRuns(claim, tags)
  leaseUntil = math.floor(now + claim.leaseMs)
  -- As text, made once: a number would be written out anew for each run.
  leaseText = string.format('%.0f', leaseUntil)
  local most = { scheduled = call('ZCARD', SCHEDULED), front = call('ZCARD', FRONT), ghosts = call('HLEN', GHOSTS) }
  for index = 1, #claim.lanes, 2 do
    local lane = claim.lanes[index]
    local room = math.min(claim.lanes[index + 1], claim.limit - taken)
    claimLane(laneKey(lane), tags[lane], room, most)
  end
  many('HSET', RECORD, starts)
  many('ZADD', LEASES, leases)
  return most
end

local function nextDue(claim, tags)
  local next
  for index = 1, #claim.lanes, 2 do
    local tag = tags[claim.lanes[index]]
    local first = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, 1)[1]
    local due = first and tonumber(sub(first, #tag + 2, #tag + 14))
    if due and (not next or due < next) then next = due end
  end
  return next or -1
end
`;
