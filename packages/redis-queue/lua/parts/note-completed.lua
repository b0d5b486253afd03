-- Counts the runs that were `added` to the list of finished ones, which has `total` now. When there are a hundredth more than are kept, but
-- a hundred at most, the oldest ones are forgotten: several at a time cost little more than one.

local completed, keep = added, tonumber(ARGV[Exchange.keepCompleted])
if not keep then
  -- They are kept for a time, too.
  -- @make forgetOldRuns
  keep = forgetOldRuns(added + 1000)
  total = call('LLEN', FINISHED)
end
if keep >= 0 and total > keep + math.min(math.floor(keep / 100), 100) then
  local oldest, marked = call('LPOP', FINISHED, math.min(total - keep, added + 1000)), false
  for index = 1, #oldest do
    marked = marked or byte(oldest[index], 1) == 0
  end
  if marked then
    -- @make forgetMarked
    forgetMarked(oldest)
  else
    -- @make inPieces
    inPieces('HDEL', BODY, oldest)
    inPieces('HDEL', RECORD, oldest)
    call('HINCRBY', META, 'forgotten', #oldest)
    completed = completed - #oldest
  end
end
if completed ~= 0 then call('HINCRBY', META, State.completed, completed) end
