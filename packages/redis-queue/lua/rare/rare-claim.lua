-- @use claim

-- Returns functions that claim in every way but the usual one; what is answered of the claim is complete when they were called for the
-- last lane.
local function rareClaim()
  checkRights()
  -- @make takeTurns
  -- @make fairOf
  -- @make leaveList
  got = got or { overLimit = {}, restarted = {}, records = {}, epochs = {}, seen = {} }
  checkLanes()
  writeWithoutMemory()
  return { promote = promote, claimLane = claimLane, writeOthers = writeOthers, writeLast = writeLast }
end
