-- @use notes

-- Whether one of the notes is not what was seen.
local function areNotesChanged(writes)
  return #changedNotes(writes) > 0
end

-- Writes notes, whatever they are; none is a hold.
local function writeNotes(writes)
  putNotes(writes)
end
