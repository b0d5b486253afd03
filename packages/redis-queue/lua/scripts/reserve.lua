-- Counts starts against limits. The keys behind the others are those of the limits.
--
-- Keys: BODY SLOTS_TAKEN
--
-- ARGV[1]  packed, of each request: the number of its key, the limit, the window in ms, and how many starts
--
-- Returns for each request how many are granted, and when one more can be (-1: all are).
--
-- @use basics, start-counts

writeWithoutMemory()
local answers, known, isChanged = {}, {}, {}
for _, request in ipairs(cmsgpack.unpack(ARGV[1])) do
  local number, limit, windowMs, count = unpack(request)
  if known[number] == nil then known[number] = readWindows(call('GET', KEYS[FIXED + number])) or false end
  local counts, granted, availableAt = reserveStarts(known[number], limit, windowMs, count)
  if counts then
    known[number], isChanged[number] = counts, true
  end
  answers[#answers + 1] = granted
  answers[#answers + 1] = availableAt
end
for number in pairs(isChanged) do
  local windows, longestMs = known[number], 0
  for index = 1, #windows do
    longestMs = math.max(longestMs, windows[index][1])
  end
  local keepMs = 2 * longestMs + bucketMs(longestMs) + 60000
  call('SET', KEYS[FIXED + number], cmsgpack.pack(unpack(windows)), 'PX', string.format('%.0f', keepMs))
end
return answers
