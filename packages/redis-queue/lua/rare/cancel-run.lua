-- @use waiting

-- Cancels a waiting run; false where its body cannot be read.
local function cancelRun(id)
  local body, record = call('HGET', BODY, id), call('HGET', RECORD, id) or nil
  if not isBody(body) then return false end
  local createdAt = fieldOf(body, Body.createdAt)
  local new = record and rewrite(record, { state = State.cancelled, endedAt = NOW, laneSeq = NO_SEQ })
    or firstRecord({ state = State.cancelled, flags = flagText(0), submittedAt = createdAt, endedAt = NOW, runAt = lateInstant(createdAt) })
  moveRun({ id = id, body = body, old = record, new = new })
  writeMoves()
  writeCounts()
  return true
end
