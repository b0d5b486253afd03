import { DEAD_LETTER_STATES, FINISHED_ENTRY, FRONT_ENTRY, RECORD } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { behind, fieldPast, isIn, letter, zeros } from './lua.ts';

/**
 * Where a reader of a list continues. Entries leave a list at its head or in the middle and come at its tail, so that an entry is
 * at the index where it was, or before. `anchors` are the last entries that the reader has seen, the latest first, each followed by
 * the epoch of its run: one that was claimed since is another entry, should it be in the list again.
 *
 * The id of a run that is forgotten may stay in a lane. Its epoch is not known any longer, so that it counts only beside another anchor,
 * where that was before it: one that is known, or the earliest, unless that is at the head of the list.
 */
const locate: string = `
-- How many entries one step of the search reads, and how many steps one call makes.
local WINDOW, MAX_WINDOWS = 1000, 10

local function epochsOf(ids)
  local records, epochs = readAll(RECORD, ids), {}
  for index = 1, #ids do epochs[index] = records[index] and epochOf(records[index]) or ${zeros(RECORD, 'epoch')} end
  return epochs
end

local function idOf(entry)
  return byte(entry, 1) == 0 and sub(entry, ${behind(FINISHED_ENTRY)}) or entry
end

-- Returns the index of the latest anchor that is still in the list, -1 when none is; nil and where to search on when it is not
-- known yet.
local function locate(key, at, anchors, mayBeForgotten)
  local latest, first
  for step = 1, MAX_WINDOWS do
    if at < 0 then return -1 end
    local from = math.max(0, at - WINDOW + 1)
    local entries = call('LRANGE', key, from, at)
    for index = #entries, 1, -1 do
      for anchor = 1, #anchors, 2 do
        if entries[index] == anchors[anchor] then
          local place, id = from + index - 1, idOf(entries[index])
          local isBeside = latest and latest - place == (anchor - first) / 2
          if mayBeForgotten and call('HEXISTS', BODY, id) == 0 then
            if not latest then latest, first, isBeside = place, anchor, true end
            if isBeside and anchor == #anchors - 1 and place > 0 then return latest end
          elseif epochsOf({ id })[1] == anchors[anchor + 1] then
            return isBeside and latest or place
          end
        end
      end
    end
    at = from - 1
  end
  if at < 0 then return -1 end
  return nil, at
end
`;

/**
 * Reads the next waiting runs of some lanes. In each lane come first those at its front and those that are parked, by their order,
 * as a run keeps it that is sent from one to the other; then the list.
 *
 * A claim takes runs out of the list and parks them, behind all that are parked. While the last one that was read is still in the
 * list, they came from before it, and were read there. Otherwise they may not have been read, and are.
 */
const waiting: string = String.raw`
local tags, room, reached, at, anchors = unpack(cmsgpack.unpack(ARGV[1]))
at = tonumber(at)
local chunks = {}

local function seqOf(tag, member)
  return member and tonumber(sub(member, ${fieldPast('tag', FRONT_ENTRY, 'laneSeq')})) or math.huge
end

local function frontAndParked(tag, low)
  local front = call('ZRANGEBYLEX', FRONT, low, '(' .. tag .. '\1', 'LIMIT', 0, room)
  local parked = call('ZRANGEBYLEX', PARKED_BY_LANE, low, '(' .. tag .. '\1', 'LIMIT', 0, room)
  if #parked == 0 then return front end
  local members, f, p = {}, 1, 1
  while #members < room and (front[f] or parked[p]) do
    if seqOf(tag, front[f]) <= seqOf(tag, parked[p]) then
      members[#members + 1], f = front[f], f + 1
    else
      members[#members + 1], p = parked[p], p + 1
    end
  end
  return members
end

local function lastMember(tag)
  local high, low = '(' .. tag .. '\1', '[' .. tag .. '\0'
  local front = call('ZREVRANGEBYLEX', FRONT, high, low, 'LIMIT', 0, 1)[1]
  local parked = call('ZREVRANGEBYLEX', PARKED_BY_LANE, high, low, 'LIMIT', 0, 1)[1]
  if not parked or (front and seqOf(tag, front) > seqOf(tag, parked)) then return front end
  return parked
end

-- Whether the id at this index was left by a run that was cancelled, while another run of the same id waits behind it.
local function isLeftOver(tag, key, id, index)
  if call('HEXISTS', CANCELLED_IN_LANE, tag .. '\0' .. id) == 0 or call('HEXISTS', BODY, id) == 0 then return false end
  local record = call('HGET', RECORD, id)
  if record and not (${isIn('record', 'submitted')}) then return false end
  local last = call('LPOS', key, id, 'RANK', -1, 'MAXLEN', 100000)
  return last and last > index
end

local function readList(tag, key, from)
  local ids, leftOver = call('LRANGE', key, from, from + room - 1), {}
  if #ids > 0 and call('HEXISTS', CANCELLED_IN_LANE, '\0' .. tag) == 1 then
    for index = 1, #ids do
      if isLeftOver(tag, key, ids[index], from + index - 1) then leftOver[#leftOver + 1] = index - 1 end
    end
  end
  return ids, leftOver
end

for lane = 1, #tags do
  local tag, key = tags[lane], laneKey(lane)
  local from, isUnread, low = 0, true, '[' .. tag .. '\0'
  if lane > 1 then reached = '' end
  if reached ~= '' then low = '(' .. reached end
  if lane == 1 and #anchors > 0 then
    local index, searchOn = locate(key, at, anchors, true)
    if not index then return { chunks, searchOn } end
    if index >= 0 then from, isUnread = index + 1, false end
  end
  local members = {}
  if isUnread then members = frontAndParked(tag, low) else reached = lastMember(tag) or reached end
  if #members > 0 then reached = members[#members] end
  room = room - #members
  local ids, leftOver = {}, {}
  if room > 0 then ids, leftOver = readList(tag, key, from) end
  room = room - #ids
  chunks[lane] = { members, reached, from, ids, leftOver, epochsOf(ids) }
  if room <= 0 then break end
end
return { chunks, -1 }
`;

/** Reads the next entries of the finished runs. */
const finished: string = `
local count, at, anchors = unpack(cmsgpack.unpack(ARGV[1]))
local from = 0
if #anchors > 0 then
  local index, searchOn = locate(FINISHED, tonumber(at), anchors, false)
  if not index then return { 0, {}, {}, searchOn } end
  from = index + 1
end
local entries, ids = call('LRANGE', FINISHED, from, from + count - 1), {}
for index = 1, #entries do ids[index] = idOf(entries[index]) end
return { from, entries, epochsOf(ids), -1 }
`;

/** Reads the next members of a set that is sorted by instants, from one on or from the first of its instant. */
const byInstant = (key: string): string => `
local instant, member, skip, count = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local from = skip
if instant ~= '' then
  if call('ZSCORE', ${key}, member) == instant then from = call('ZRANK', ${key}, member) + 1
  else from = call('ZCOUNT', ${key}, '-inf', '(' .. instant) + skip end
end
return call('ZRANGE', ${key}, from, from + count - 1, 'WITHSCORES')
`;

const pageOfDead = `
local from = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local ids = call('ZRANGEBYLEX', DEAD, from, '+', 'LIMIT', 0, ARGV[2])
local others = -call('ZCARD', DEAD)
for _, ended in ipairs(call('HMGET', META, ${DEAD_LETTER_STATES.map((state) => letter(state)).join(', ')})) do others = others + (ended or 0) end
return { ids, others }
`;

const lanes = String.raw`
local tags = call('SMEMBERS', LANES)
for _, key in ipairs({ FRONT, PARKED_BY_LANE }) do
  local member = call('ZRANGEBYLEX', key, '-', '+', 'LIMIT', 0, 1)[1]
  while member do
    local tag = sub(member, 1, zeroAfter(member, 1) - 1)
    tags[#tags + 1] = tag
    member = call('ZRANGEBYLEX', key, '[' .. tag .. '\1', '+', 'LIMIT', 0, 1)[1]
  end
end
return tags
`;

/** Reads the next waiting runs of some lanes. */
export const waitingScript: Script = composeScript({ library: [basics, locate], main: waiting });

/** Reads the next finished runs. */
export const finishedScript: Script = composeScript({ library: [basics, locate], main: finished });

/** Reads the next started runs, by the end of their lease. */
export const startedScript: Script = composeScript({ library: [basics], main: byInstant('LEASES') });

/** Reads the next runs whose results are kept, by until when. */
export const awaitedScript: Script = composeScript({ library: [basics], main: byInstant('AWAITED') });

/** Reads the next dead letters after an id, by id, and how many runs ended alike but are disposable. */
export const pageOfDeadScript: Script = composeScript({ library: [basics], main: pageOfDead });

/** Returns the lanes that may have waiting runs, some of them more than once. */
export const waitingLanesScript: Script = composeScript({ library: [basics], main: lanes });
