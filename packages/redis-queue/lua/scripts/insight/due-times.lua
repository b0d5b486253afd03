-- Counts the scheduled runs of some lanes by when they are due. The schedule is ordered by lane and instant, so that each span is counted by
-- its ends; spans without runs are found many at a time.
--
-- Keys: BODY SCHEDULED
--
-- ARGV[1]  packed: from when, how long a span is, how many spans, and the tags of the lanes
--
-- Returns the clock, how many are due before, after, and in each span.
--
-- @use basics

local from, bucketMs, buckets, tags = unpack(cmsgpack.unpack(ARGV[1]))
local counts, before, after = {}, 0, 0
for bucket = 1, buckets do
  counts[bucket] = 0
end

local function countSpans(tag, first, last)
  local low, high = '[' .. tag .. '\0' .. dueText(from + (first - 1) * bucketMs), '(' .. tag .. '\0' .. dueText(from + last * bucketMs)
  local count = call('ZLEXCOUNT', SCHEDULED, low, high)
  if count == 0 then return end
  if first == last then
    counts[first] = counts[first] + count
    return
  end
  local middle = math.floor((first + last) / 2)
  countSpans(tag, first, middle)
  countSpans(tag, middle + 1, last)
end

for _, tag in ipairs(tags) do
  before = before + call('ZLEXCOUNT', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\0' .. dueText(from))
  after = after + call('ZLEXCOUNT', SCHEDULED, '[' .. tag .. '\0' .. dueText(from + buckets * bucketMs), '(' .. tag .. '\1')
  countSpans(tag, 1, buckets)
end
return { now, before, after, counts }
