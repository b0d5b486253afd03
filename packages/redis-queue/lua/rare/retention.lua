-- What retention forgets where a script has no other need of `ended`.
--
-- @use ended

-- Forgets the runs of entries of the list of finished runs, some of which have more than body and record.
local function forgetMarked(oldest)
  forgetEntries(oldest)
  writeCounts()
end

-- Forgets runs whose time is over; returns how many finished ones are kept.
local function forgetOldRuns(most)
  forgetOld(most)
  writeCounts()
  return KEEP
end

-- Moves runs whose results were not collected in time to the finished ones.
local function expire()
  expireAwaited()
end
