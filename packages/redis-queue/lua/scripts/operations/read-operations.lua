-- Reads some operations, or all.
--
-- Keys: BODY OPERATIONS OPERATION_REQUESTS
--
-- ARGV[1]  packed: ids
-- ARGV[2]  anything, to read all
--
-- Returns ids, figures and requests.
--
-- @use basics

local flat = {}
for _, id in ipairs(cmsgpack.unpack(ARGV[1])) do
  flat[#flat + 1] = id
  flat[#flat + 1] = call('HGET', OPERATIONS, id)
end
if #ARGV > 1 then flat = call('HGETALL', OPERATIONS) end
local ids, figures = {}, {}
for index = 1, #flat, 2 do
  if flat[index + 1] then
    ids[#ids + 1], figures[#figures + 1] = flat[index], flat[index + 1]
  end
end
return { ids, figures, readAll(OPERATION_REQUESTS, ids) }
