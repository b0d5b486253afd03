-- What dead letters are counted under, by the tag of their lane and the id of a group:
--
-- - GROUPS, a hash: for each lane and group the fields of `Group`, the id of the latest run, and the title; for each lane alone how many
--   groups it has, besides the one that counts the rest.
-- - GROUPED, a sorted set by group, lane and id: the dead letters of each group.
--
-- The group of a run is in its record. Groups are read before anything is written, as the record is to have the group that there is room
-- for, and are written after all.
--
-- @use basics

local titles = { [OtherGroup.id] = OtherGroup.title, [Unreadable.group.id] = Unreadable.group.title }
-- Titles of groups, each after its id.
local function readTitles(given)
  for index = 1, #given, 2 do
    titles[given[index]] = given[index + 1]
  end
end

local groups, groupCounts, newlyGrouped = {}, {}, {}

-- Where the counters and errors of a record begin, and the group among them.
local function groupIn(record)
  local at = zeroAfter(record, Record.length + 1) + 1
  return string.match(record, '^' .. GroupMark.before .. '([%w_-]+)' .. GroupMark.after, at) or OtherGroup.id, at
end

local function spentOf(record, at)
  local counters = string.match(record, '^[^%[]*', at)
  return (tonumber(string.match(counters, '"failures":(%d+)')) or 0) + (tonumber(string.match(counters, '"stalls":(%d+)')) or 0)
end

local function memberOfGroup(tag, group, id)
  return group .. '\0' .. tag .. '\0' .. id
end

local function readGroup(tag, id)
  local name = tag .. '\0' .. id
  local group = groups[name]
  if group then return group end
  local text = call('HGET', GROUPS, name)
  group = { tag = tag, id = id, count = 0, attempts = 0 }
  if text then
    group.count, group.attempts = tonumber(fieldOf(text, Group.count)) or 0, tonumber(fieldOf(text, Group.attempts)) or 0
    group.firstSeenAt, group.lastSeenAt = fieldOf(text, Group.firstSeenAt), fieldOf(text, Group.lastSeenAt)
    local zero = zeroAfter(text, Group.length + 1)
    group.latestId, group.title = sub(text, Group.length + 1, zero - 1), sub(text, zero + 1)
  end
  groups[name] = group
  return group
end

local function groupsOfLane(tag)
  groupCounts[tag] = groupCounts[tag] or tonumber(call('HGET', GROUPS, tag)) or 0
  return groupCounts[tag]
end

-- A lane that has as many groups as it may have counts a new one under other.
local function groupFor(tag, id)
  local group = readGroup(tag, id)
  if group.count > 0 or id == OtherGroup.id then return group end
  if groupsOfLane(tag) >= Limit.groups then return readGroup(tag, OtherGroup.id) end
  groupCounts[tag] = groupCounts[tag] + 1
  return group
end

-- Counts a dead letter under its group. Returns its record, with the group that it is counted under.
local function joinGroup(id, record, tag)
  local wanted, at = groupIn(record)
  local group, endedText = groupFor(tag, wanted), fieldOf(record, Record.endedAt)
  if group.count == 0 then
    group.firstSeenAt, group.lastSeenAt = endedText, endedText
  end
  group.count, group.attempts = group.count + 1, group.attempts + spentOf(record, at)
  if endedText < group.firstSeenAt then group.firstSeenAt = endedText end
  if endedText >= group.lastSeenAt then
    group.lastSeenAt, group.latestId, group.title = endedText, id, titles[group.id] or group.title or group.id
  end
  newlyGrouped[#newlyGrouped + 1] = 0
  newlyGrouped[#newlyGrouped + 1] = memberOfGroup(tag, group.id, id)
  if group.id == wanted then return record end
  return sub(record, 1, at - 1) .. GroupMark.before .. group.id .. sub(record, at + #GroupMark.before + #wanted)
end

-- Takes a dead letter out of its group.
local function leaveGroup(id, record, tag)
  local name, at = groupIn(record)
  if call('ZREM', GROUPED, memberOfGroup(tag, name, id)) == 0 then return end
  local group = readGroup(tag, name)
  group.count, group.attempts = group.count - 1, group.attempts - spentOf(record, at)
  if group.count == 0 and name ~= OtherGroup.id then groupCounts[tag] = groupsOfLane(tag) - 1 end
end

local function writeGroups()
  many('ZADD', GROUPED, newlyGrouped)
  local kept, empty = {}, {}
  for name, group in pairs(groups) do
    if group.count > 0 then
      kept[#kept + 1] = name
      kept[#kept + 1] = write(Group, {
        count = string.format(Group.count.format, group.count),
        attempts = string.format(Group.attempts.format, math.max(0, group.attempts)),
        firstSeenAt = group.firstSeenAt,
        lastSeenAt = group.lastSeenAt,
      }) .. group.latestId .. '\0' .. group.title
    else
      empty[#empty + 1] = name
    end
  end
  for tag, count in pairs(groupCounts) do
    if count > 0 then
      kept[#kept + 1] = tag
      kept[#kept + 1] = string.format('%.0f', count)
    else
      empty[#empty + 1] = tag
    end
  end
  many('HSET', GROUPS, kept)
  many('HDEL', GROUPS, empty)
  groups, groupCounts, newlyGrouped = {}, {}, {}
end
