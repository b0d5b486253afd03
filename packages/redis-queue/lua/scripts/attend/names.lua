-- Finds lanes that may have runs that wait.
--
-- Keys: BODY RECORD STACKS META SLOTS_TAKEN FINISHED LONG_FINISHED LANES LARGE AWAITED NAMES
--
-- ARGV[1], ARGV[2]  what is kept: see `store/retention.ts`
--
-- Returns their tags.
--
-- @use basics, ended

writeWithoutMemory()
-- Here too, because an idle queue has no other calls.
expireAwaited()
forgetNames(0)
local tags = call('SMEMBERS', LANES)
writeCounts()
return tags
