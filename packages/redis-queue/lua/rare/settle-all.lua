-- @use basics, ended, slots, cancelled-in-lane, lanes, settle

-- Settles everything, and writes it. `beforeWrites` is called with the answers, if it is given.
local function settleAll(beforeWrites)
  local batch, firsts = {}, {}
  if ARGV[Exchange.others] ~= '' then
    local groupTitles
    tags, batch, groupTitles = unpack(cmsgpack.unpack(ARGV[Exchange.others]))
    if groupTitles then readTitles(groupTitles) end
  end
  for index = 1, firstsCount do
    firsts[index * 2 - 1], firsts[index * 2] = ARGV[FIRSTS_AT + index], ARGV[FIRSTS_AT + plainCount + index]
  end
  if plainCount > firstsCount then
    for number = 1, #KEYS - FIXED do
      tags[number] = tagOf(number)
    end
  end
  for index = firstsCount + 1, plainCount do
    local id, record = ARGV[FIRSTS_AT + index], ARGV[FIRSTS_AT + plainCount + index]
    local epoch = epochOfMove(record)
    local by = isLaterCompletion(record) and byCompletion(epoch) or sub(record, Record.length + 1, zeroAfter(record, Record.length + 1))
    addSettlement(
      batch,
      { id = id, epoch = epoch, by = by, mode = 0, lane = tonumber(ARGV[Exchange.movesLane]), record = record, dueInMs = -1 }
    )
  end
  checkRights()
  checkLanes()
  writeWithoutMemory()
  local answers = settleFirsts(firsts) .. settleRuns(batch)
  if beforeWrites then beforeWrites(answers) end
  -- The order of writes, so that a script that stops half-way loses nothing when the settlements are sent again:
  -- 1. texts that are kept apart, and the new locations of waiting runs
  -- 2. their records, by which a settlement that is sent again is answered
  -- 3. everything that would not be done again then
  many('HSET', STACKS, newStacks)
  many('HSET', LARGE, newLarge)
  if next(notedPushes) then
    -- @make fairOf
    -- @make takeTurns
    takeTurns(pushes, tags, fairOf(notedPushes), writes)
  end
  for lane, ids in pairs(pushes) do
    pushBack(laneKey(lane), tags[lane], ids)
  end
  pushFront(released, tags, writes)
  putOnSchedule(schedules, tags, writes)
  many('HSET', RECORD, writes)
  writeSlots()
  many('ZREM', LEASES, settledIds)
  many('HDEL', STACKS, staleStacks)
  writeEnded()
  writeCounts()
  return answers
end
