-- Keeps a new operation, and forgets the oldest of those that have ended.
--
-- Keys: BODY OPERATIONS OPERATION_REQUESTS
--
-- ARGV[1]  packed: id, request, and the ids of its filter or empty text
--
-- Returns `created`, `exists` or `full`.
--
-- @use basics

local id, request, ids = unpack(cmsgpack.unpack(ARGV[1]))
checkRights()
if call('HEXISTS', OPERATIONS, id) == 1 then return 'exists' end
local all, active, ended = call('HGETALL', OPERATIONS), 0, {}
for index = 1, #all, 2 do
  local figures = cjson.decode(all[index + 1])
  if figures.endedAt then
    ended[#ended + 1] = { figures.createdAt, all[index] }
  else
    active = active + 1
  end
end
if active >= Limit.operations then return 'full' end
table.sort(ended, function(one, other)
  if one[1] ~= other[1] then return one[1] > other[1] end
  return one[2] > other[2]
end)
for index = Limit.operations + 1, #ended do
  call('HDEL', OPERATIONS, ended[index][2])
  call('HDEL', OPERATION_REQUESTS, ended[index][2], '\0' .. ended[index][2])
end
call('HSET', OPERATION_REQUESTS, id, request)
if ids ~= '' then call('HSET', OPERATION_REQUESTS, '\0' .. id, ids) end
call(
  'HSET',
  OPERATIONS,
  id,
  cjson.encode({
    state = 'running',
    createdAt = now,
    updatedAt = now,
    epoch = 0,
    stepped = 0,
    done = 0,
    skipped = 0,
  })
)
return 'created'
