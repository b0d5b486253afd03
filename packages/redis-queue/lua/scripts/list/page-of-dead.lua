-- Reads the next dead letters, by id.
--
-- Keys: BODY META DEAD
--
-- ARGV[1]  the last id that was read; empty at the beginning
-- ARGV[2]  how many
--
-- Returns ids, and how many runs ended alike but are disposable.
--
-- @use basics

local from = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local ids = call('ZRANGEBYLEX', DEAD, from, '+', 'LIMIT', 0, ARGV[2])
local others = -call('ZCARD', DEAD)
for _, ended in ipairs(call('HMGET', META, each(DeadLetterStates))) do
  others = others + (ended or 0)
end
return { ids, others }
