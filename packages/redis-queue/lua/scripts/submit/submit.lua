-- Stores new runs. A run that waits for its first claim has no record: its body is enough.
--
-- The usual way comes first and in line: runs of one lane that are due, while nothing else is to be looked after. It makes no function.
-- Where it does not apply, it ends before it has written anything, or takes it back, and `submitRuns` is made and called.
--
-- Where payloads follow, `HSETNX` writes them: the payload of a run that exists is kept. So what another submission may have left under the
-- id of a new run, because the server refused it half-way, is removed here.
--
-- Keys: BODY META CANCELLED_IN_LANE LANES LARGE AWAITED NAMES RECORD STACKS SCHEDULED SLOTS_TAKEN FINISHED LONG_FINISHED
--
-- ARGV[1], ARGV[2]  what is kept: see `store/retention.ts`
-- ARGV[3]  empty, or `Mark.payloadsFollow`, for runs of one lane that are due; otherwise packed: the tags of the lanes, for each run the
--          number of its lane (one number, if all share it), for each run the two values of when it is due (none, if all are due), how
--          many runs there are, and whether payloads follow
-- ARGV[4…] id and body of each run, then the payloads that are kept apart, in the order of their runs, unless they follow in the same
--          transaction
--
-- Returns a letter for each run.

local call, LANE, count = redis.call, KEYS[FIXED + 1], (#ARGV - 3) / 2
local doPayloadsFollow = ARGV[3] == Mark.payloadsFollow
repeat
  if (ARGV[3] ~= '' and not doPayloadsFollow) or count > 2000 then break end
  if call('EXISTS', CANCELLED_IN_LANE, AWAITED, NAMES) > 0 then break end
  local time = call('TIME')
  local NOW = instantText(Body.createdAt, time)
  local depth
  -- Fails before anything is written, if another program uses the key.
  if doPayloadsFollow then call('HLEN', LARGE) end
  if count == 1 then
    -- Not the order of submitRuns: if the lane refuses the id, the body is taken back, and submitRuns reports why.
    if redis.pcall('HSETNX', BODY, ARGV[4], NOW .. ARGV[5]) ~= 1 then break end
    if doPayloadsFollow then call('HDEL', LARGE, ApartText.payload .. ARGV[4]) end
    depth = redis.pcall('RPUSH', LANE, ARGV[4])
    if type(depth) ~= 'number' then
      call('HDEL', BODY, ARGV[4])
      break
    end
  else
    local ids, bodies, stale, areNew = {}, {}, {}, true
    for index = 1, count do
      local id = ARGV[2 + index * 2]
      if doPayloadsFollow then stale[index] = ApartText.payload .. id end
      ids[index], bodies[index * 2 - 1], bodies[index * 2] = id, id, NOW .. ARGV[3 + index * 2]
    end
    local known = call('HMGET', BODY, unpack(ids))
    for index = 1, count do
      areNew = areNew and not known[index]
    end
    if not areNew then break end
    -- The order of submitRuns.
    call('HSET', META, 'submittedAt', NOW)
    if doPayloadsFollow then call('HDEL', LARGE, unpack(stale)) end
    depth = call('RPUSH', LANE, unpack(ids))
    if call('HSET', BODY, unpack(bodies)) < count then
      -- An id is among them twice.
      call('HDEL', BODY, unpack(ids))
      call('LTRIM', LANE, 0, -count - 1)
      break
    end
  end
  local wasEmpty = depth == count
  -- As text: Redis formats each number that a command gets, which takes as long as a short command.
  if count == 1 then count = '1' end
  call('HINCRBY', META, 'created', count)
  if wasEmpty then
    local tag, channel = string.sub(LANE, #BODY + 2), string.sub(BODY, (string.find(BODY, '{[^{]*$')), -5) .. 'wake:'
    call('SADD', LANES, tag)
    call('PUBLISH', channel .. tag, '')
  end
  return string.rep(Answer.submit.created, count)
until true
-- What `submit-fair.lua` has: its runs have fairness keys, and these have none.
local takeTurns
-- @make submitRuns
return submitRuns(ARGV)
