-- Operations on dead letters: the hash OPERATIONS has their figures by id, as JSON that scripts read and write. The first partition also
-- has what was asked for in the hash OPERATION_REQUESTS, which scripts do not read: by id the request, by a zero character and the id the
-- ids of its filter. The other partitions count their own runs. A step is the values of `Step`.
--
-- @use basics

-- The figures of the operation, if the step is accepted: once, while the operation is running, with its latest epoch.
local function openStep(step)
  local operation, epoch, isHome = step[Step.operation], step[Step.epoch], step[Step.isHome]
  local kept = call('HGET', OPERATIONS, operation)
  local figures = kept and cjson.decode(kept)
  if not figures and isHome == 0 then figures = { state = 'running', createdAt = now, epoch = 0, stepped = 0, done = 0, skipped = 0 } end
  if not figures or figures.state ~= 'running' or epoch <= figures.stepped or epoch < figures.epoch then return nil end
  if isHome == 1 and epoch > figures.epoch then return nil end
  return figures
end

-- Forgets the figures of the oldest operation, where there are too many.
local function forgetCounted()
  if call('HLEN', OPERATIONS) <= 3 * Limit.operations then return end
  local all, oldest, at = call('HGETALL', OPERATIONS), nil, math.huge
  for index = 1, #all, 2 do
    local createdAt = cjson.decode(all[index + 1]).createdAt
    if createdAt < at then
      oldest, at = all[index], createdAt
    end
  end
  call('HDEL', OPERATIONS, oldest)
end

-- Counts what a step did.
local function closeStep(step, figures, done, others)
  local operation, isHome = step[Step.operation], step[Step.isHome]
  figures.stepped, figures.updatedAt = step[Step.epoch], now
  figures.done, figures.skipped = figures.done + done, figures.skipped + step[Step.skipped] + others
  if isHome == 1 then
    figures.progress = step[Step.progress]
    if step[Step.isLast] == 1 then
      figures.state, figures.endedAt = 'done', now
    end
  end
  call('HSET', OPERATIONS, operation, cjson.encode(figures))
  if isHome == 0 then forgetCounted() end
end
