-- Notes of holds are in the hash HOLDS, as those of `library/notes.lua`: a claim and a wait ask for those of their lanes only, in one
-- command, and only where there is any hold. One that has expired is removed by a claim that meets it.
--
-- @use basics, cancelled-in-lane

local SOURCES = { each(Hold.sources) }

-- Until when the runs of its lane wait, and after how long it probes, 0 if it does not; nil for what is no hold any longer, or cannot be read.
local function holdOf(note)
  local ends, probeMs = string.match(note, '^%d+ %d+ (%d+) (%d+) ')
  ends, probeMs = tonumber(ends), tonumber(probeMs)
  if not ends or (ends > 0 and ends <= now and probeMs == 0) then return nil end
  return ends > 0 and ends or math.huge, probeMs
end

-- What holds let pass of each of these lanes, by number, for those that have any: until when none of its runs may start, and the notes
-- that probe, by their keys. Also the keys of holds that have ended.
local function passagesOf(tags)
  local keys, passages, ended = {}, {}, {}
  for lane = 0, #tags do
    for source = 1, #SOURCES do
      keys[lane * #SOURCES + source] = SOURCES[source] .. (tags[lane] or '')
    end
  end
  local notes = readAll(HOLDS, keys)
  local function passageOf(lane, ofAll)
    local passage = { untilAt = ofAll and ofAll.untilAt or 0, probes = {} }
    local isAny = ofAll ~= nil
    for at = lane * #SOURCES + 1, (lane + 1) * #SOURCES do
      local untilAt, probeMs = holdOf(notes[at] or '')
      if untilAt then
        passage.untilAt = math.max(passage.untilAt, untilAt)
        if probeMs > 0 then passage.probes[keys[at]] = notes[at] end
        isAny = true
      elseif notes[at] then
        ended[#ended + 1] = keys[at]
      end
    end
    return isAny and passage or nil
  end
  local ofAll = passageOf(0)
  for lane = 1, #tags do
    passages[lane] = passageOf(lane, ofAll)
  end
  return passages, ended
end

-- A run was let through: the next one only after probeMs. Adds the keys and notes to be written.
local function noteProbe(passage, writes)
  for key, note in pairs(passage.probes) do
    local before, probeMs, behind = string.match(note, '^(%d+ %d+ )%d+ (%d+)(.*)$')
    local untilAt = instantOf(now + tonumber(probeMs))
    passage.untilAt = math.max(passage.untilAt, untilAt)
    writes[#writes + 1] = key
    writes[#writes + 1] = before .. string.format('%.0f ', untilAt) .. probeMs .. behind
  end
end

local function hasReady(key, tag)
  if call('ZLEXCOUNT', FRONT, '[' .. tag .. '\0', '(' .. tag .. '\1') > 0 then return true end
  return call('LLEN', key) > cancelledInLaneOf(tag)
end

-- When a lane on hold has work next: what is due before its hold ends does not count before.
local function workAfterHold(key, tag, untilAt, due)
  if hasReady(key, tag) then return untilAt end
  return math.max(untilAt, due)
end
