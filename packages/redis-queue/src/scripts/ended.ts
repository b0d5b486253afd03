/**
 * Runs that ended. Dead letters stand in a sorted set by id and stay until they are redriven or discarded; the others
 * stand in a list, oldest first, from which retention takes what is too many. An entry there begins with the letter
 * of its state, so that forgetting it needs no look at its record.
 */
export const ended: string = `
local newlyFinished, newlyDead = {}, {}

-- Failed, stalled and rate limited runs are dead letters, unless they are disposable (4 in the flags).
local function isDeadLetter(record)
  local state = byte(record, 1)
  return (state == 70 or state == 83 or state == 76) and flagsOf(record) % 8 < 4
end

local function endRun(id, record)
  local letter = sub(record, 1, 1)
  count(letter, 1)
  if isDeadLetter(record) then
    newlyDead[#newlyDead + 1] = 0
    newlyDead[#newlyDead + 1] = id
  else
    newlyFinished[#newlyFinished + 1] = letter .. id
  end
end

local function takeFromEnded(id, record)
  local letter = sub(record, 1, 1)
  count(letter, -1)
  if isDeadLetter(record) then call('ZREM', DEAD, id) else call('LREM', FINISHED, 1, letter .. id) end
end

local function forget(ids)
  many('HDEL', BODY, ids)
  many('HDEL', RECORD, ids)
  many('HDEL', STACKS, ids)
  count('forgotten', #ids)
end

-- At most a thousand more are forgotten than were added: a smaller limit than before stalls nobody.
local function writeEnded(keep)
  many('ZADD', DEAD, newlyDead)
  local added = #newlyFinished
  if added == 0 then return end
  local total = many('RPUSH', FINISHED, newlyFinished)
  if keep < 0 or total <= keep then return end
  local entries = call('LPOP', FINISHED, math.min(total - keep, added + 1000))
  local ids = {}
  for index = 1, #entries do
    ids[index] = sub(entries[index], 2)
    count(sub(entries[index], 1, 1), -1)
  end
  forget(ids)
end
`;
