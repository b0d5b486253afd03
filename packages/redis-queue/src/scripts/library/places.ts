import { RECORD, SCHEDULED_ENTRY } from '../../record/layout.ts';
import { field, fieldPast, fields, rewritten } from '../lua.ts';

/** Putting runs where they are to wait: the back of a lane, its front, or the schedule. */
export const places: string = String.raw`
local function pushBack(laneKey, lane, ids)
  if #ids == 0 then return end
  if many('RPUSH', laneKey, ids) == #ids then wake(lane) end
end

-- Backwards in time, but first to last: what is given back together keeps its order.
local function pushFront(entries, tags, records)
  local total = #entries
  if total == 0 then return end
  local order, members = call('HINCRBY', META, 'frontOrder', -total), {}
  for index = 1, total do
    local lane, id, record = unpack(entries[index])
    local place = orderText(order + index - 1)
    members[#members + 1] = 0
    members[#members + 1] = tags[lane] .. '\0' .. place .. id
    records[#records + 1] = id
    records[#records + 1] = ${rewritten('record', { laneSeq: 'place' })}
  end
  many('ZADD', FRONT, members)
  for _, entry in ipairs(entries) do wake(tags[entry[1]]) end
end

-- Among runs of one instant, the order of scheduling decides. Whoever waits is told of an earlier instant.
local function putOnSchedule(entries, tags, records)
  local total = #entries
  if total == 0 then return end
  local order, members, earliest = call('HINCRBY', META, 'order', total) - total, {}, {}
  for index = 1, total do
    local lane, id, record = unpack(entries[index])
    local due, place = sub(record, ${field(RECORD, 'runAt')}), orderText(order + index)
    members[#members + 1] = 0
    members[#members + 1] = tags[lane] .. '\0' .. due .. place .. id
    records[#records + 1] = id
    records[#records + 1] = ${rewritten('record', { laneSeq: 'place' })}
    if not earliest[lane] or due < earliest[lane] then earliest[lane] = due end
  end
  for lane, due in pairs(earliest) do
    local tag = tags[lane]
    local first = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\0', '(' .. tag .. '\1', 'LIMIT', 0, 1)[1]
    if not first or due < sub(first, ${fieldPast('tag', SCHEDULED_ENTRY, 'runAt')}) then wake(tag, due) end
  end
  many('ZADD', SCHEDULED, members)
end

local function memberOfSchedule(tag, record, id)
  return tag .. '\0' .. sub(record, ${fields(RECORD, 'runAt', 'laneSeq')}) .. id
end
`;
