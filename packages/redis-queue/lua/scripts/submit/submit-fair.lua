-- Stores new runs, some of which have fairness keys: a script of its own, so that the usual one gets no more keys.
--
-- Keys: BODY RECORD META LANES TURNS BEHIND BEHIND_BY_LANE STACKS SCHEDULED SLOTS_TAKEN CANCELLED_IN_LANE FINISHED LONG_FINISHED LARGE
--       AWAITED NAMES
--
-- ARGV[1…] those of `submit.lua`, of which the third is packed
--
-- Returns a letter for each run.
--
-- @use basics

-- @make takeTurns
-- @make submitRuns
return submitRuns(ARGV)
