-- A run that is cancelled in its lane, ended by hand or rescheduled leaves its id in the lane's list, as taking it out would cost a walk
-- through the list. If it comes back to the lane, its id is in the list once more: ids come at the tail only and are taken at the head,
-- so that of several the last one is that of the run.
--
-- The hash CANCELLED_IN_LANE counts such ids. Its fields are the lane, a zero character and the id; and, for all of a lane, a zero
-- character and the lane. Whatever takes one of these ids out of the list takes it out of the counts.
--
-- @use basics

-- What is no count counts as 0.
local function changeCancelled(field, by)
  local left = redis.pcall('HINCRBY', CANCELLED_IN_LANE, field, by)
  if type(left) == 'table' then
    left = by
    call('HSET', CANCELLED_IN_LANE, field, left)
  end
  if left <= 0 then call('HDEL', CANCELLED_IN_LANE, field) end
end

local function countCancelledInLane(tag, by)
  if by == 0 then return end
  count('cancelledInLane', by)
  changeCancelled('\0' .. tag, by)
end

local function cancelledInLaneOf(tag)
  return countOf(call('HGET', CANCELLED_IN_LANE, '\0' .. tag))
end

-- Whether this id, which was at the head of the lane's list, is that of a cancelled run; it is counted no more then.
local function takeCancelled(tag, id)
  local field = tag .. '\0' .. id
  if countOf(call('HGET', CANCELLED_IN_LANE, field)) == 0 then return false end
  changeCancelled(field, -1)
  countCancelledInLane(tag, -1)
  return true
end

-- Once around the whole list: the ids of waiting runs are appended again, in their order.
local function removeAllCancelled(key, tag)
  checkRights()
  local left = call('LLEN', key)
  while left > 0 do
    local ids, real = call('LPOP', key, math.min(left, 1000)), {}
    for index = 1, #ids do
      if not takeCancelled(tag, ids[index]) then real[#real + 1] = ids[index] end
    end
    left = left - #ids
    many('RPUSH', key, real)
  end
end

-- Removes the ids of cancelled runs where they are more than half of a long list, so that they do not pile up behind a run
-- that no worker takes. That is a constant number of steps for each of them.
local function removeCancelled(key, tag)
  local cancelled = cancelledInLaneOf(tag)
  if cancelled > 0 and (cancelled >= 1000 or call('LLEN', key) == cancelled) and cancelled * 2 > call('LLEN', key) then
    removeAllCancelled(key, tag)
  end
end
