-- Writes runs that no worker holds, and cancel requests, each only if the run is still what was seen.
--
-- Keys: BODY RECORD STACKS META LEASES SCHEDULED FRONT PARKED SLOTS_TAKEN CANCELLED_IN_LANE FINISHED LONG_FINISHED DEAD GROUPS GROUPED
--       LANES LARGE AWAITED NAMES PARKED_BY_LANE TURNS BEHIND BEHIND_BY_LANE HOLDS NOTES NOTE_KEYS NOTE_ENDS
--
-- ARGV[1], ARGV[2]  what is kept: see `store/retention.ts`
-- ARGV[3]  packed: the tags of the lanes of runs that wait again; for each run its id, the number of its lane (0 if it needs none), what
--          was seen, its new record or a mark, its stack and its large result (empty text if it has none); the ids and titles of error
--          groups; and the notes that are written with the runs, as for `write-notes`, or empty text
--
-- Returns a letter for each run, or `Mark.notesChanged`. With notes, nothing is written unless all runs are changed.
--
-- @use waiting

local tags, ids, lanes, seen, next, stacks, results, groupTitles, notes = unpack(cmsgpack.unpack(ARGV[3]))
readTitles(groupTitles)
checkRights()
checkLanes()
writeWithoutMemory()
local isWhole = notes ~= ''
if isWhole then
  -- @make areNotesChanged
  if areNotesChanged(notes) then return Mark.notesChanged end
end
local bodies, kept, answers, isChanged, done = readAll(BODY, ids), readAll(RECORD, ids), {}, {}, 0
local gone, requests, staleStacks, staleResults = {}, {}, {}, {}

-- As a settlement does it: texts that are kept apart come before the record.
local function writeTexts(index, id, old, new)
  if hasStack(new) then
    call('HSET', STACKS, id, stacks[index])
  elseif old and hasStack(old) then
    staleStacks[#staleStacks + 1] = id
  end
  if hasLargeResult(new) then
    call('HSET', LARGE, ApartText.result .. id, results[index])
  elseif old and hasLargeResult(old) then
    staleResults[#staleResults + 1] = ApartText.result .. id
  end
end

-- Whether a run may be changed so.
local function isPossible(new, body, old)
  local state = stateOf(old)
  local hasEnded = find(EndStates, state, 1, true)
  if new == Mark.forget then return hasEnded and #state > 0 end
  if new == Mark.requestCancel then return state == State.started end
  -- The location of a run that cannot be read is unknown.
  if state == State.started or not isBody(body) or (old and not isRecord(old)) then return false end
  return not hasEnded or isIn(new, State.submitted) or isIn(new, State.scheduled)
end

local function change(index, id, body, old)
  local new = next[index]
  if new == Mark.forget then
    hadEnded[#hadEnded + 1] = { id, old, laneOf(body) }
    gone[#gone + 1] = id
  elseif new == Mark.requestCancel then
    requests[#requests + 1] = id
    requests[#requests + 1] = withCancelRequest(old)
  else
    writeTexts(index, id, old, new)
    moveRun({ id = id, body = body, old = old, new = new, lane = lanes[index] })
  end
end

for index = 1, #ids do
  local id, body, old = ids[index], bodies[index], kept[index] or nil
  if not body then
    answers[index] = Answer.change.gone
  elseif isChanged[id] or seenOf(id, body, old) ~= seen[index] or not isPossible(next[index], body, old) then
    answers[index] = Answer.change.changed
  else
    answers[index], isChanged[id], done = Answer.change.done, true, done + 1
  end
end
if isWhole and done < #ids then return table.concat(answers) end
for index = 1, #ids do
  if answers[index] == Answer.change.done then change(index, ids[index], bodies[index], kept[index] or nil) end
end
many('HSET', RECORD, requests)
waitAgain()
if #hadEnded > 0 then
  -- @make leaveEnded
  leaveEnded()
end
writeMoves()
many('HDEL', STACKS, staleStacks)
many('HDEL', LARGE, staleResults)
forget(gone, gone)
if isWhole then
  -- @make writeNotes
  writeNotes(notes)
end
writeCounts()
return table.concat(answers)
