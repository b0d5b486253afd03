-- Counts starts against limits, and corrects those that were granted. The keys behind the others are those of the limits.
--
-- Keys: BODY SLOTS_TAKEN
--
-- ARGV[1]  packed, of each request: the number of its key, the limit, the window in ms, how many starts, and how many at least;
--          of each correction, which is shorter: the number of its key, when they were granted, and how many more
--
-- Returns for each request how many are granted, and when so many more can be (-1: all are, or it is a correction); at the end, when.
--
-- @use basics, start-counts

writeWithoutMemory()
local answers, known, isChanged = {}, {}, {}
for _, request in ipairs(cmsgpack.unpack(ARGV[1])) do
  local number, granted, availableAt = request[1], 0, -1
  if known[number] == nil then known[number] = readWindows(call('GET', KEYS[FIXED + number])) or false end
  if #request > 3 then
    local counts
    local asked = { limit = request[2], windowMs = request[3], count = request[4], least = request[5] }
    counts, granted, availableAt = reserveStarts(known[number], asked)
    if counts then
      known[number], isChanged[number] = counts, true
    end
  elseif known[number] then
    correctStarts(known[number], request[2], request[3])
    isChanged[number] = true
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
answers[#answers + 1] = now
return answers
