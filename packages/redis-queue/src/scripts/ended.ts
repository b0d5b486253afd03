/**
 * Runs that ended. Dead letters stand in a sorted set by id and stay until they are redriven or discarded; the others
 * stand in a list, oldest first, from which retention takes what is too many. An entry there is an id, of a run that
 * completed and has no stack, or a zero character, the letter of the state and an id: forgetting needs no record.
 */
export const ended: string = String.raw`
local newlyFinished, newlyDead = {}, {}

-- Failed, stalled and rate limited runs are dead letters, unless they are disposable (4 in the flags).
local function isDeadLetter(record)
  local state = byte(record, 1)
  return (state == 70 or state == 83 or state == 76) and flagsOf(record) % 8 < 4
end

local function entryOf(id, record)
  if byte(record, 1) == 67 and not hasStack(record) and byte(id, 1) ~= 0 then return id end
  return '\0' .. sub(record, 1, 1) .. id
end

local function endRun(id, record)
  count(sub(record, 1, 1), 1)
  if isDeadLetter(record) then
    newlyDead[#newlyDead + 1] = 0
    newlyDead[#newlyDead + 1] = id
  else
    newlyFinished[#newlyFinished + 1] = entryOf(id, record)
  end
end

local function takeFromEnded(id, record)
  count(sub(record, 1, 1), -1)
  if isDeadLetter(record) then call('ZREM', DEAD, id) else call('LREM', FINISHED, 1, entryOf(id, record)) end
end

local function forget(ids, withStacks)
  many('HDEL', BODY, ids)
  many('HDEL', RECORD, ids)
  many('HDEL', STACKS, withStacks)
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
  local marked = {}
  for index = 1, #entries do
    local entry = entries[index]
    if byte(entry, 1) == 0 then
      local id = sub(entry, 3)
      entries[index], marked[#marked + 1] = id, id
      count(sub(entry, 2, 2), -1)
    end
  end
  count('C', #marked - #entries)
  forget(entries, marked)
end
`;
