-- Reads the next entries of the finished runs.
--
-- Keys: BODY RECORD FINISHED
--
-- ARGV[1]  packed: how many, the index and the anchors
--
-- Returns from which index on the entries are, entries, epochs, and where to search on, or -1.
--
-- @use places-in-lists

local count, at, anchors = unpack(cmsgpack.unpack(ARGV[1]))
local from = 0
if #anchors > 0 then
  local index, searchOn = locate(FINISHED, tonumber(at), anchors, false)
  if not index then return { 0, {}, {}, searchOn } end
  from = index + 1
end
local entries, ids = call('LRANGE', FINISHED, from, from + count - 1), {}
for index = 1, #entries do
  ids[index] = idOf(entries[index])
end
return { from, entries, epochsOf(ids), -1 }
