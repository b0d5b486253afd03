-- Reads all error groups.
--
-- Keys: BODY GROUPS
--
-- Returns names and figures, in turn.
--
-- @use basics

local all, found = call('HGETALL', GROUPS), {}
for index = 1, #all, 2 do
  if find(all[index], '\0', 1, true) then
    found[#found + 1] = all[index]
    found[#found + 1] = all[index + 1]
  end
end
return found
