-- Functions that the build writes in place of their calls, because a function that a script makes costs as much as a short command.
-- Each is one expression. Besides these there are, made from the layouts:
--   rewrite(record, { field = value })        the record with these values in place of what it has
--   rewriteFields(record, { field = value })  its fields alone
--   write(Layout, { field = value })          the values of all fields of a layout, in its order
--   firstRecord({ field = value }, rest)      a record without counters and result; fields without a value are zero
--   inOrder(List, { name = value })           the values of a list of `record/requests.ts`, in its order; also `inOrder(List, from)`
--   each(States)                              each letter of a text, or each value of a table, as a value of its own
--   isOneOf(code, States)                     whether a byte is that of one of the letters

local function fieldOf(text, field)
  return sub(text, field.from, field.to)
end

local function fieldsOf(text, first, last)
  return sub(text, first.from, last.to)
end

-- A field of a member, after the lane or key that it begins with and a zero character.
local function fieldPast(tag, member, field)
  return sub(member, #tag + (field.from + 1), #tag + (field.to + 1))
end

-- What follows the fields of a member.
local function restPast(tag, member, layout)
  return sub(member, #tag + (layout.length + 2))
end

local function isIn(record, state)
  return byte(record, Record.state.from) == byte(state)
end

local function isNotIn(record, state)
  return byte(record, Record.state.from) ~= byte(state)
end

-- Whether a sum of flags or modes has this one.
local function has(sum, one)
  return sum % (2 * one) >= one
end

-- The flags as the character that a record has.
local function flagText(flags)
  return char(Flag.base + flags)
end

-- The instant of `time`, as the server tells it, in as many digits as the field has: seconds as text, and the first three digits of the
-- microseconds. To format a number takes the server as long as two short commands.
local function instantText(field, time)
  return string.sub(field.zeros .. time[1] .. string.sub('00000' .. time[2], -6, -4), -field.width)
end

-- An instant in as many digits as the one when a run is due.
local function lateInstant(instant)
  return Padding.runAt .. instant
end

-- Whether a record is the short form of a completion at a later start.
local function isLaterCompletion(record)
  return byte(record, LaterCompletion.mark.from) == byte(Mark.laterCompletion)
end

-- The fields of the record of a run that completes at a later start, from its old record and the short form.
local function laterFields(old, short, flags)
  return rewriteFields(old, {
    state = State.completed,
    flags = flags,
    heartbeatAt = fieldOf(short, LaterCompletion.heartbeatAt),
    endedAt = fieldOf(short, LaterCompletion.endedAt),
    laneSeq = NO_SEQ,
  })
end

-- The epoch that a plain move settles: it is a record, or the short form of a later completion.
local function epochOfMove(record)
  return isLaterCompletion(record) and fieldOf(record, LaterCompletion.epoch) or fieldOf(record, Record.epoch)
end

-- `settledBy` of a completion, with its final zero character.
local function byCompletion(epoch)
  return tonumber(epoch) .. By.completion
end

-- A value of the lane in `lane`, of those that are claimed from.
local function laneValue(value)
  return ARGV[CLAIM_AT + (Claim.length - ClaimLane.length + value) + lane * ClaimLane.length]
end
