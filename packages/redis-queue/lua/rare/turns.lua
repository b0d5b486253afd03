-- What runs with fairness keys need, where a script meets one.
--
-- @use turns

-- Of the runs that are `pushes` to the backs of lanes, leaves those that get a turn, and those that need none: `fair` has the fairness keys
-- of the others by id, and their records. Adds the records of those that are behind now.
local function takeTurns(pushes, tags, fair, records)
  for lane, push in pairs(pushes) do
    local ids = {}
    for index = 1, #push do
      local id = push[index]
      local one = fair[id]
      local order = one and takeTurn(tags[lane], one.key, id)
      if order then
        records[#records + 1] = id
        records[#records + 1] = rewrite(one.record, { laneSeq = order })
      else
        ids[#ids + 1] = id
      end
    end
    pushes[lane] = ids
  end
end

-- The fairness keys of those of these waiting runs that have one, and their records, by id.
local function fairOf(noted)
  local ids, fair = {}, {}
  for id in pairs(noted) do
    ids[#ids + 1] = id
  end
  local bodies = readAll(BODY, ids)
  for index = 1, #ids do
    local fairness = isBody(bodies[index]) and fairnessOf(bodies[index])
    if fairness then fair[ids[index]] = { key = fairness, record = noted[ids[index]] } end
  end
  return fair
end

-- Passes the turn on of a run that a claim takes out of the list of a lane. Where its key cannot be read, it may be any.
local function leaveList(tag, id, body)
  if not isBody(body) then
    passLostTurns(tag)
    return
  end
  local fairness = fairnessOf(body)
  if fairness then leaveTurn(tag, fairness, id) end
end
