-- The ends of changes that few calls need.
--
-- @use waiting

-- Takes runs that had ended out of where they are: before retention looks at those that end now.
local function leaveEnded()
  for index = 1, #hadEnded do
    takeFromEnded(unpack(hadEnded[index]))
  end
end
