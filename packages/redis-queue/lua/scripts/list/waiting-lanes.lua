-- Finds lanes that may have waiting runs.
--
-- Keys: BODY FRONT LANES PARKED_BY_LANE BEHIND_BY_LANE
--
-- Returns their tags, some of them more than once.
--
-- @use basics

local tags = call('SMEMBERS', LANES)
for _, key in ipairs({ FRONT, PARKED_BY_LANE, BEHIND_BY_LANE }) do
  local member = call('ZRANGEBYLEX', key, '-', '+', 'LIMIT', 0, 1)[1]
  while member do
    local tag = sub(member, 1, zeroAfter(member, 1) - 1)
    tags[#tags + 1] = tag
    member = call('ZRANGEBYLEX', key, '[' .. tag .. '\1', '+', 'LIMIT', 0, 1)[1]
  end
end
return tags
