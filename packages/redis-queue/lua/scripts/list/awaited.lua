-- Reads the next runs whose results are kept, by until when, from one on or from the first of its instant.
--
-- Keys: BODY AWAITED
--
-- ARGV[1]  the instant of the last member that the reader has seen; empty at the beginning
-- ARGV[2]  that member
-- ARGV[3]  how many members of that instant to skip if it is gone
-- ARGV[4]  how many to read
--
-- Returns members and their instants, in turn.
--
-- @use basics

local instant, member, skip, count = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local from = skip
if instant ~= '' then
  if call('ZSCORE', AWAITED, member) == instant then
    from = call('ZRANK', AWAITED, member) + 1
  else
    from = call('ZCOUNT', AWAITED, '-inf', '(' .. instant) + skip
  end
end
return call('ZRANGE', AWAITED, from, from + count - 1, 'WITHSCORES')
