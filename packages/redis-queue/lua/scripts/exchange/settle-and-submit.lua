-- Settles runs each of which submits another one, and submits those of the settlements that are accepted: before the settlements are written,
-- so that a run which was submitted is known when the server has refused a write and both are sent again.
--
-- Keys: BODY RECORD META LANES TURNS BEHIND BEHIND_BY_LANE STACKS SCHEDULED SLOTS_TAKEN CANCELLED_IN_LANE FINISHED LONG_FINISHED LARGE
--       AWAITED NAMES LEASES FRONT PARKED DEAD GROUPS GROUPED PARKED_BY_LANE
--
-- ARGV[1…] those of an exchange whose settlements are all in `others`, with their long texts; packed, the tags of the lanes, for each run to
--          submit the number of its lane, and for each the two values of when it is due; of each run id, body, and the payload that is
--          kept apart or empty text; last, where the packed one is
--
-- Returns the clock, and the answers as letters.
--
-- @use basics

local ARGV = ARGV
local firstsCount, plainCount, FIRSTS_AT, TEXTS_AT = 0, 0, Exchange.length, Exchange.length + 1
local SUBMITS_AT = tonumber(ARGV[#ARGV])

-- @make takeTurns
-- @make submitAccepted
-- @make settleAll
local answers = settleAll(submitAccepted)
return { now, answers }
