-- Forgets up to a thousand runs whose time is over (`keepCompleted.for`).
--
-- Keys: BODY RECORD STACKS META FINISHED LONG_FINISHED LARGE NAMES
--
-- ARGV[1], ARGV[2]  what is kept: see `store/retention.ts`
--
-- Returns the clock, and 1 if there may be more.
--
-- @use basics, ended

checkRights()
local isMore = forgetOld(1000)
writeCounts()
return { now, isMore and 1 or 0 }
