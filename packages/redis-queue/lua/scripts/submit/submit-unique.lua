-- Stores new runs, some of which are unique, one after another.
--
-- Keys: BODY RECORD META NAMES UNIQUE_KEYS LANES TURNS BEHIND BEHIND_BY_LANE STACKS SCHEDULED SLOTS_TAKEN CANCELLED_IN_LANE FINISHED
--       LONG_FINISHED LARGE AWAITED LEASES FRONT PARKED DEAD GROUPS GROUPED PARKED_BY_LANE
--
-- ARGV[1], ARGV[2]  what is kept: see `store/retention.ts`
-- ARGV[3]  packed: the tags of the lanes, for each run the number of its lane, the two values of when it is due, its unique key, until
--          when and what to do in a conflict (nothing, if it is not unique), and how many runs there are
-- ARGV[4…] of each run id, body, and the payload that is kept apart or empty text
--
-- Returns a letter for each run, and the id of each run that a letter is about.
--
-- @use unique-keys, some-runs

local FIRST_RUN_AT = 4
local tags, lanes, dues, uniques, total = unpack(cmsgpack.unpack(ARGV[3]))
checkRights()
checkLanes()
call('HLEN', UNIQUE_KEYS)
-- First a write that a server without memory refuses: after a deletion it would accept all later writes.
call('HINCRBY', META, 'created', 0)
local answers, others, indexes, isPending = {}, {}, {}, {}
local request = { tags = tags, lanes = lanes, dues = dues }
-- @make takeTurns
-- @make submitRuns
-- @make cancelRun

-- Submits the runs that are pending.
local function flush()
  local count = #indexes
  if count == 0 then return end
  local letters = submitRuns(argumentsOf(indexes, FIRST_RUN_AT, request))
  for position = 1, count do
    answers[indexes[position]] = sub(letters, position, position)
  end
  indexes, isPending = {}, {}
end

local function isKnown(id)
  if isPending[id] or call('HEXISTS', BODY, id) == 1 then return true end
  return (tonumber(call('ZSCORE', NAMES, id) or 0) or 0) > now
end

-- Keeps the key of another run, or takes it; what is pending exists before a key is looked at.
local function submitUnique(index, key, until_, conflict)
  flush()
  forgetFreeKeys()
  local id, other = ARGV[1 + index * 3], holderOf(key)
  if other and conflict == 'keep' then
    answers[index], others[#others + 1] = Answer.submitUnique.kept, other
    return
  end
  local isReplaced = other and isWaiting(other)
  indexes[1] = index
  flush()
  giveKey(key, until_, id)
  if isReplaced and cancelRun(other) then
    answers[index], others[#others + 1] = Answer.submitUnique.replaced, other
  end
end

for index = 1, total do
  local id, unique = ARGV[1 + index * 3], uniques[index]
  if #unique > 0 and not isKnown(id) then
    submitUnique(index, unpack(unique))
  else
    indexes[#indexes + 1], isPending[id] = index, true
  end
end
flush()
return { table.concat(answers), others }
