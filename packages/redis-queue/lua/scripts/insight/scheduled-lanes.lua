-- Finds lanes that have scheduled runs.
--
-- Keys: BODY SCHEDULED
--
-- Returns their tags.
--
-- @use basics

local tags, member = {}, call('ZRANGEBYLEX', SCHEDULED, '-', '+', 'LIMIT', 0, 1)[1]
while member do
  local tag = sub(member, 1, zeroAfter(member, 1) - 1)
  tags[#tags + 1] = tag
  member = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\1', '+', 'LIMIT', 0, 1)[1]
end
return tags
