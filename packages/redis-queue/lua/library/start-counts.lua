-- The twin of `reserveStarts` and `correctStarts` in the kit of brokers. What is kept of a key is a list for each of its windows, the last used one first: the
-- length of the window, the latest instant at which starts were granted, then each bucket and its starts, oldest first.
--
-- @use basics

local function bucketMs(windowMs)
  return math.max(1, math.ceil(windowMs / 32))
end
local function bucketOf(at, windowMs)
  return math.floor(at / bucketMs(windowMs))
end

-- What another program may have written counts as nothing.
local function isCounts(one)
  if type(one) ~= 'table' or #one < 2 or #one % 2 ~= 0 then return false end
  for index = 1, #one do
    if type(one[index]) ~= 'number' then return false end
  end
  return one[1] >= 1
end
local function readWindows(text)
  local windows = { pcall(cmsgpack.unpack, text or '') }
  if not table.remove(windows, 1) then return nil end
  for index = 1, #windows do
    if not isCounts(windows[index]) then return nil end
  end
  return windows[1] and windows
end

-- Adds starts to the latest bucket, or to one that follows it.
local function addStarts(counts, bucket, starts)
  local last = #counts - 1
  if last > 2 and counts[last] == bucket then
    counts[last + 1] = counts[last + 1] + starts
  else
    counts[last + 2], counts[last + 3] = bucket, starts
  end
end

-- The counts of this window; where it has none, of the shortest that is longer; where there is none, of the longest.
local function sourceOf(windows, windowMs)
  local longest, enough
  for index = 1, #windows do
    local one = windows[index]
    if not longest or one[1] > longest[1] then longest = one end
    if one[1] >= windowMs and (not enough or one[1] < enough[1]) then enough = one end
  end
  return enough or longest
end

-- What is kept, in buckets of this window.
local function countsAt(before, windowMs)
  if not before or now < before[2] - windowMs then return { windowMs, now } end
  if before[1] == windowMs then return before end
  local counts, oldMs = { windowMs, before[2] }, bucketMs(before[1])
  for index = 3, #before, 2 do
    addStarts(counts, bucketOf(math.min((before[index] + 1) * oldMs - 1, before[2]), windowMs), before[index + 1])
  end
  return counts
end

-- Those that are in the window still, and how many starts they have.
local function countedOf(counts, windowMs)
  local first, sum = bucketOf(math.max(now, counts[2]) - windowMs + 1, windowMs), 0
  local counted = { windowMs, counts[2] }
  for index = 3, #counts, 2 do
    if counts[index] >= first then
      addStarts(counted, counts[index], counts[index + 1])
      sum = sum + counts[index + 1]
    end
  end
  return counted, sum
end

-- The first instant at which `least` more starts can be granted.
local function freeAt(counted, left, windowMs, least)
  local at, index = 0, 3
  while left < least and counted[index] do
    left = left + counted[index + 1]
    at, index = (counted[index] + 1) * bucketMs(windowMs) + windowMs - 1, index + 2
  end
  return at
end

-- Returns what is kept from now on, or nil if nothing changes, how many starts are granted, and when `least` more can be (-1: all are).
local function reserveInWindow(before, asked)
  local windowMs, count, least = asked.windowMs, asked.count, asked.least
  local counted, sum = countedOf(countsAt(before, windowMs), windowMs)
  local left = asked.limit - sum
  if left < least then return nil, 0, freeAt(counted, left, windowMs, least) end
  if now < counted[2] then return nil, 0, counted[2] end
  local granted = math.min(count, left)
  counted[2] = now
  addStarts(counted, bucketOf(now, windowMs), granted)
  return counted, granted, granted == count and -1 or freeAt(counted, left - granted, windowMs, least)
end

-- Counts starts that were granted by a window of another length; while the clock is back, as of the latest instant.
local function countStarts(before, starts)
  local windowMs = before[1]
  local counts = countedOf(countsAt(before, windowMs), windowMs)
  counts[2] = math.max(now, counts[2])
  addStarts(counts, bucketOf(counts[2], windowMs), starts)
  return counts
end

-- As reserveInWindow, with the counts of all windows of a key.
local function reserveStarts(known, asked)
  local windows, windowMs = known or {}, asked.windowMs
  local counts, granted, availableAt = reserveInWindow(sourceOf(windows, windowMs), asked)
  if not counts then return nil, granted, availableAt end
  local kept = { counts }
  for index = 1, #windows do
    local other = windows[index]
    if other[1] ~= windowMs and #kept < Limit.windowsOfKey then kept[#kept + 1] = countStarts(other, granted) end
  end
  return kept, granted, availableAt
end

-- Corrects starts that were granted then, in each window that they have not left.
local function correctStarts(windows, grantedAt, count)
  for _, counts in ipairs(windows) do
    local bucket, index = bucketOf(grantedAt, counts[1]), 3
    if grantedAt <= counts[2] and bucket >= bucketOf(counts[2] - counts[1] + 1, counts[1]) then
      while counts[index] and counts[index] < bucket do
        index = index + 2
      end
      if counts[index] == bucket then
        counts[index + 1] = math.max(0, counts[index + 1] + count)
      elseif count > 0 then
        table.insert(counts, index, count)
        table.insert(counts, index, bucket)
      end
    end
  end
end
