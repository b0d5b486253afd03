-- Reads the next started runs in the order of the server's hash table: a heartbeat does not move a run in it.
--
-- Keys: BODY LEASES
--
-- ARGV[1]  the place in the table where to begin; '0' at the beginning
-- ARGV[2]  how many runs to read; those of the last place are read as well
--
-- Returns the place behind them, '0' at the end, then each place with its ids. A small set has one place.
--
-- @use basics

-- How many places are read at most: few of a table that was large have runs.
local MAX_PLACES = 1000

local place, missing, places = ARGV[1], tonumber(ARGV[2]), {}
repeat
  local reply, ids = call('ZSCAN', LEASES, place, 'COUNT', 1), {}
  local members = reply[2]
  for index = 1, #members, 2 do
    -- A member of an infinite instant is no run.
    if members[index + 1] ~= 'inf' then ids[#ids + 1] = members[index] end
  end
  places[#places + 1] = { place, ids }
  place, missing = reply[1], missing - #ids
until place == '0' or missing <= 0 or #places == MAX_PLACES
return { place, places }
