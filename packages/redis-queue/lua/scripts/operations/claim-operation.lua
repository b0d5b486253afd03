-- Gives a carrier the oldest running operation that no other one holds.
--
-- Keys: BODY OPERATIONS OPERATION_REQUESTS
--
-- ARGV[1]  packed: the carrier, for how long in ms, and the id of the operation or empty text
--
-- Returns the clock, the figures, the request, the ids of its filter, and its id; or false.
--
-- @use basics

local carrier, leaseMs, wanted = unpack(cmsgpack.unpack(ARGV[1]))
checkRights()
local all, id, figures = call('HGETALL', OPERATIONS), nil, nil
for index = 1, #all, 2 do
  local one = cjson.decode(all[index + 1])
  local isFree = one.carrier == carrier or (one.carriedUntil or 0) <= now
  local isOlder = not figures or one.createdAt < figures.createdAt or (one.createdAt == figures.createdAt and all[index] < id)
  if one.state == 'running' and isFree and (wanted == '' or wanted == all[index]) and isOlder then
    id, figures = all[index], one
  end
end
if not figures then return false end
figures.epoch, figures.carrier, figures.carriedUntil, figures.updatedAt = figures.epoch + 1, carrier, now + leaseMs, now
local text = cjson.encode(figures)
call('HSET', OPERATIONS, id, text)
return { now, text, call('HGET', OPERATION_REQUESTS, id), call('HGET', OPERATION_REQUESTS, '\0' .. id), id }
