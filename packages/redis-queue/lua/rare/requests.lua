-- What the latest claims of each worker got, so that a claim whose reply was lost can be sent again: four claims at least for each of the
-- thousand workers that claimed last.
--
-- The hash REPLIES has under the name of a worker an instant and the list of its requests, and of each request the ids of its runs. Sent
-- again, a claim returns those that are still leased by it, as they are then; others could no longer be settled.
--
-- @use read-runs

-- What a claim got that is sent again; nil where what is kept of it cannot be read.
local function recalled(kept)
  local isKept, list = pcall(cmsgpack.unpack, kept)
  local started, leased, only = string.match(kept, '^(%d+)%z(%d+)%z(.+)$')
  if only then
    isKept, list = true, { tonumber(started), tonumber(leased), { only } }
  end
  if not isKept or type(list) ~= 'table' or type(list[3]) ~= 'table' or (#list ~= 3 and #list ~= KeptClaim.length) then return nil end
  local reply = {}
  reply.startedAt, reply.leaseUntil, reply.ids = list[KeptClaim.startedAt], list[KeptClaim.leaseUntil], list[KeptClaim.ids]
  reply.overLimit, reply.restarted, reply.epochs = list[KeptClaim.overLimit], list[KeptClaim.restarted], list[KeptClaim.epochs]
  local bodies, records, epochs, isOverLimit = readAll(BODY, reply.ids), readAll(RECORD, reply.ids), {}, {}
  for at, index in ipairs(reply.restarted or {}) do
    epochs[index] = reply.epochs[at]
  end
  for _, index in ipairs(reply.overLimit or {}) do
    isOverLimit[index] = true
  end
  local again = {
    startedAt = reply.startedAt,
    leaseUntil = reply.leaseUntil,
    ids = {},
    bodies = {},
    overLimit = {},
    restarted = {},
    records = {},
  }
  for index = 1, #reply.ids do
    local id, body, record = reply.ids[index], bodies[index], records[index]
    if body and record and isIn(record, State.started) and epochOf(record) == (epochs[index] or FIRST_EPOCH) then
      local next = #again.ids + 1
      again.ids[next], again.bodies[next], again.restarted[next], again.records[next] = id, body, next, record
      if isOverLimit[index] then again.overLimit[#again.overLimit + 1] = next end
    end
  end
  again.stacks = stacksOf(again.ids, again.records)
  return again
end

-- Forgets all requests in the list of a worker but the last three.
local function forgetOldRequests(list, worker)
  local all, stamp = {}, sub(list, 1, Record.submittedAt.width)
  for request in string.gmatch(sub(list, Record.submittedAt.width + 2), '%Z+') do
    all[#all + 1] = request
  end
  local fields = {}
  for index = 1, #all - 3 do
    fields[index] = worker .. '\0' .. all[index]
  end
  many('HDEL', REPLIES, fields)
  return table.concat({ stamp, unpack(all, math.max(1, #all - 2)) }, '\0')
end

-- Notes that a worker claims, once a minute. A new one replaces another. Returns its list with the new instant.
local function noteWorker(list, worker)
  local requests = list and '\0' .. list or ''
  if list and find(sub(list, 1, Record.submittedAt.width + 1), '^%d*%z') == 1 then requests = sub(list, Record.submittedAt.width + 1) end
  if call('ZADD', WORKERS, now, worker) == 1 then
    -- It replaces one that has not claimed for an hour, or the one that claimed longest ago of more than a thousand.
    local surplus = call('ZCARD', WORKERS) > 1000
    local old = call('ZRANGEBYSCORE', WORKERS, '-inf', surplus and '+inf' or now - 3600000, 'LIMIT', 0, surplus and 1 or 2)
    for index = 1, #old do
      local name, fields = old[index], { old[index] }
      for request in string.gmatch(call('HGET', REPLIES, name) or '', '%Z+') do
        fields[#fields + 1] = name .. '\0' .. request
      end
      call('ZREM', WORKERS, name)
      many('HDEL', REPLIES, fields)
    end
  end
  return NOW .. requests
end
