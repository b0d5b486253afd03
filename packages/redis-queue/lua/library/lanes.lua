-- Adds runs to where they wait: the back of a lane, its front, or the schedule.
--
-- @use basics

local function pushBack(laneKey, lane, ids)
  if #ids == 0 then return end
  if many('RPUSH', laneKey, ids) == #ids then wake(lane) end
end

-- Each batch goes before the ones that came earlier; runs that are released together keep their order.
local function pushFront(entries, tags, records)
  local total = #entries
  if total == 0 then return end
  local first, members = call('HINCRBY', META, 'frontSeq', -total), {}
  for index = 1, total do
    local lane, id, record = unpack(entries[index])
    local seq = seqText(first + index - 1)
    members[#members + 1] = 0
    members[#members + 1] = tags[lane] .. '\0' .. seq .. id
    records[#records + 1] = id
    records[#records + 1] = rewrite(record, { laneSeq = seq })
  end
  many('ZADD', FRONT, members)
  for _, entry in ipairs(entries) do
    wake(tags[entry[1]])
  end
end

-- Runs that are due at one instant keep the order in which they were scheduled. Workers that wait are notified of a run that is
-- due before all others of its lane.
local function putOnSchedule(entries, tags, records)
  local total = #entries
  if total == 0 then return end
  local last, members, earliest = call('HINCRBY', META, 'laneSeq', total) - total, {}, {}
  for index = 1, total do
    local lane, id, record = unpack(entries[index])
    local due, seq = fieldOf(record, Record.runAt), seqText(last + index)
    members[#members + 1] = 0
    members[#members + 1] = tags[lane] .. '\0' .. due .. seq .. id
    records[#records + 1] = id
    records[#records + 1] = rewrite(record, { laneSeq = seq })
    if not earliest[lane] or due < earliest[lane] then earliest[lane] = due end
  end
  for lane, due in pairs(earliest) do
    local tag = tags[lane]
    local first = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, 1)[1]
    if not first or due < fieldPast(tag, first, ScheduledEntry.runAt) then wake(tag, due) end
  end
  many('ZADD', SCHEDULED, members)
end

local function memberOfSchedule(tag, record, id)
  return tag .. '\0' .. fieldsOf(record, Record.runAt, Record.laneSeq) .. id
end
