/**
 * Ghosts: a run that was cancelled in its lane leaves its id behind in the list there, and a note of that, with their
 * number in each lane (under a zero character and the lane). Whatever takes the id out of the list takes the note away.
 */
export const ghosts: string = String.raw`
local function addGhosts(tag, by)
  if by == 0 then return end
  count('ghosts', by)
  if call('HINCRBY', GHOSTS, '\0' .. tag, by) <= 0 then call('HDEL', GHOSTS, '\0' .. tag) end
end

local function ghostsOf(tag)
  return tonumber(call('HGET', GHOSTS, '\0' .. tag) or 0) or 0
end

-- Whether this id in the list of the lane is a ghost; its note is used up by that.
local function isGhost(tag, id)
  local field = tag .. '\0' .. id
  local left = tonumber(call('HGET', GHOSTS, field) or 0) or 0
  if left == 0 then return false end
  if left == 1 then call('HDEL', GHOSTS, field) else call('HINCRBY', GHOSTS, field, -1) end
  addGhosts(tag, -1)
  return true
end

-- Once around the whole list: what is no ghost is put behind, in its order.
local function dropAllGhosts(key, tag)
  local left = call('LLEN', key)
  while left > 0 do
    local ids, real = call('LPOP', key, math.min(left, 1000)), {}
    for index = 1, #ids do
      if not isGhost(tag, ids[index]) then real[#real + 1] = ids[index] end
    end
    left = left - #ids
    many('RPUSH', key, real)
  end
end

-- Where more than half of a long list are ghosts, they go: what was cancelled is not to pile up behind a run that
-- no worker takes. Each of them has paid for it.
local function dropMostGhosts(key, tag)
  local ghosts = ghostsOf(tag)
  if ghosts > 0 and (ghosts >= 1000 or call('LLEN', key) == ghosts) and ghosts * 2 > call('LLEN', key) then
    dropAllGhosts(key, tag)
  end
end
`;
