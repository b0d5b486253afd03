-- @use read-runs

-- Returns a function that starts a run again which waits in the list of its lane, and has neither a slot nor notes. That returns the new
-- record, as core's transition makes it; nil where the run is another one, or cannot be read.
local function startingAgain()
  got = got or { overLimit = {}, restarted = {}, records = {}, epochs = {}, seen = {} }
  local epochs, restarted, records, newEpochs, seen = {}, got.restarted, got.records, got.epochs, got.seen
  local PLAIN, WITH_STACK = State.submitted .. flagText(0), State.submitted .. flagText(Flag.hasStack)
  return function(id, record, hash)
    local head = fieldsOf(record, Record.state, Record.flags)
    if head ~= PLAIN and head ~= WITH_STACK then return nil end
    local _, digits = find(record, '^%d+', Record.epoch.from)
    if not digits or digits < Record.length then return nil end
    local zero = find(record, '\0', Record.length + 1, true)
    if not zero or not find(record, '\0', zero + 1, true) then return nil end
    local epoch, first = fieldOf(record, Record.epoch), fieldOf(record, Record.firstStartedAt)
    if not epochs[epoch] then
      if epoch >= Record.epoch.nines then return nil end
      epochs[epoch] = string.format(Record.epoch.format, tonumber(epoch) + 1)
    end
    if first == Record.firstStartedAt.zeros then first = NOW end
    local new = rewrite(
      record,
      { state = State.started, epoch = epochs[epoch], firstStartedAt = first, startedAt = NOW, heartbeatAt = NOW, laneSeq = hash }
    )
    if seen[id] then return nil end
    seen[id] = true
    local next = #restarted + 1
    restarted[next], records[next], newEpochs[next] = taken + 1, new, epochs[epoch]
    bytes = bytes + #new
    if head == WITH_STACK then
      got.hasStacks = true
      bytes = bytes + call('HSTRLEN', STACKS, id)
    end
    return new
  end
end

-- The stacks of the runs that do not start for the first time.
local function restartedStacks()
  local restarted = {}
  for index = 1, #got.restarted do
    restarted[index] = ids[got.restarted[index]]
  end
  return stacksOf(restarted, got.records)
end
