-- Finds a run of each of some error groups.
--
-- Keys: BODY GROUPED
--
-- ARGV[1]  packed, of each group: the tag of its lane, its id, and the id of a run
--
-- Returns that id of each, or, if that run has left the group, the first one that the group has.
--
-- @use basics, error-groups

local asked, found = cmsgpack.unpack(ARGV[1]), {}
for index = 1, #asked do
  local tag, group, id = unpack(asked[index])
  if not call('ZSCORE', GROUPED, memberOfGroup(tag, group, id)) then
    local first = call('ZRANGEBYLEX', GROUPED, '[' .. memberOfGroup(tag, group, ''), '(' .. group .. '\0' .. tag .. '\1', 'LIMIT', 0, 1)[1]
    if first then id = sub(first, #memberOfGroup(tag, group, '') + 1) end
  end
  found[index] = id
end
return found
