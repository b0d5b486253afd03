-- What is answered about leases.
--
-- @use basics

-- Whether the lease of a run is valid, given its record if it has one; and the letter that says so.
local function leaseOf(id, epoch, record)
  if not record then return false, call('HEXISTS', BODY, id) == 1 and Answer.heartbeat.fenced or Answer.heartbeat.gone end
  if isNotIn(record, State.started) or epochOf(record) ~= epoch then return false, Answer.heartbeat.fenced end
  return true, has(flagsOf(record), Flag.cancelRequested) and Answer.heartbeat.cancel or Answer.heartbeat.ok
end
