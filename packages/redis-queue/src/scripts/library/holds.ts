import { HOLD, HOLD_SOURCES, NO_END } from '../../record/layout.ts';
import { field, startOf, zeros } from '../lua.ts';

const SOURCES = Object.values(HOLD_SOURCES);

/**
 * Holds: the hash `HOLDS` has them by source and lane. One that has ended, and does not probe, is removed by whatever meets it.
 *
 * A claim and a wait ask for the holds of their lanes only, in one command, and only where there is any hold.
 */
export const holds: string = `
local SOURCES = { ${SOURCES.map((letter) => `'${letter}'`).join(', ')} }
local NO_END = '${NO_END}'

local function isHold(value)
  return #value >= ${HOLD.length} and not find(sub(value, 1, ${HOLD.length}), '%D')
end

-- Whether a hold may be forgotten: one that cannot be read has no end that could come.
local function hasHoldEnded(value)
  if not isHold(value) then return true end
  return sub(value, ${field(HOLD, 'until')}) <= dueText(now) and sub(value, ${field(HOLD, 'probeMs')}) == ${zeros(HOLD, 'probeMs')}
end

-- Adds a hold to those that decide about a lane: until when none of its runs may start, and the fields and values of those that probe.
local function addHold(passage, holdField, value)
  local until_ = sub(value, ${field(HOLD, 'until')})
  if until_ == NO_END then passage.untilAt = math.huge
  else passage.untilAt = math.max(passage.untilAt, tonumber(until_)) end
  if tonumber(sub(value, ${field(HOLD, 'probeMs')})) > 0 then passage.probes[holdField] = value end
end

-- What holds let pass of each of these lanes, by number, for those that have any, and the fields of holds that have ended.
local function passagesOf(tags)
  local fields, passages, ended = {}, {}, {}
  for lane = 0, #tags do
    for source = 1, #SOURCES do fields[lane * #SOURCES + source] = SOURCES[source] .. (tags[lane] or '') end
  end
  local values = readAll(HOLDS, fields)
  local function passageOf(lane, ofAll)
    local passage = { untilAt = ofAll and ofAll.untilAt or 0, probes = {} }
    local isAny = ofAll ~= nil
    for at = lane * #SOURCES + 1, (lane + 1) * #SOURCES do
      if values[at] and hasHoldEnded(values[at]) then ended[#ended + 1] = fields[at]
      elseif values[at] then
        addHold(passage, fields[at], values[at])
        isAny = true
      end
    end
    return isAny and passage or nil
  end
  local ofAll = passageOf(0)
  for lane = 1, #tags do passages[lane] = passageOf(lane, ofAll) end
  return passages, ended
end

-- A run was let through: the next one only after probeMs. Adds the fields and values to be written.
local function noteProbe(passage, writes)
  for holdField, value in pairs(passage.probes) do
    local untilAt = instantOf(now + tonumber(sub(value, ${field(HOLD, 'probeMs')})))
    passage.untilAt = math.max(passage.untilAt, untilAt)
    writes[#writes + 1] = holdField
    writes[#writes + 1] = sub(value, 1, ${startOf(HOLD, 'until') - 1}) .. dueText(untilAt) .. sub(value, ${HOLD.fields.until.end + 1})
  end
end
`;

/** Whether lanes have work, as far as that depends on holds. */
export const heldWork: string = String.raw`
local function hasReady(key, tag)
  if call('ZLEXCOUNT', FRONT, '[' .. tag .. '\0', '(' .. tag .. '\1') > 0 then return true end
  return call('LLEN', key) > cancelledInLaneOf(tag)
end

-- When a lane on hold has work next: what is due before its hold ends does not count before.
local function workAfterHold(key, tag, untilAt, due)
  if hasReady(key, tag) then return untilAt end
  return math.max(untilAt, due)
end
`;
