import { defineScript, type Script } from '../script.ts';
import { prelude } from './prelude.ts';
import { stacks } from './stacks.ts';

const get = `
local ids = cmsgpack.unpack(ARGV[1])
local records = readAll(RECORD, ids)
return { now, readAll(BODY, ids), records, stacksOf(ids, records) }
`;

const look = String.raw`
local tags = cmsgpack.unpack(ARGV[1])
local next = -1
for index = 1, #tags do
  local tag = tags[index]
  local from, to = '[' .. tag .. '\0', '(' .. tag .. '\1'
  if call('LLEN', laneKey(index)) > 0 or call('ZLEXCOUNT', FRONT, from, to) > 0 then return { now, now } end
  local first = call('ZRANGEBYLEX', SCHEDULED, from, to, 'LIMIT', 0, 1)[1]
  local due = first and tonumber(sub(first, #tag + 2, #tag + 14))
  if due and (next < 0 or due < next) then next = due end
end
return { now, next }
`;

const pageOfDead = `
local from = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local ids = call('ZRANGEBYLEX', DEAD, from, '+', 'LIMIT', 0, 1000)
local others = -call('ZCARD', DEAD)
for _, ended in ipairs(call('HMGET', META, 'F', 'S', 'L')) do others = others + (ended or 0) end
return { ids, others }
`;

const scan = `
local reply = call('HSCAN', BODY, ARGV[1], 'COUNT', 1000)
local pairs_, ids, found = reply[2], {}, {}
for index = 1, #pairs_ / 2 do ids[index] = pairs_[index * 2 - 1] end
local records = readAll(RECORD, ids)
for index = 1, #ids do
  local state = records[index] and sub(records[index], 1, 1) or 'w'
  if state == ARGV[2] then found[#found + 1] = ids[index] end
end
return { reply[1], found }
`;

/** Bodies and records as they are together. */
export const getScript: Script = defineScript(prelude, stacks, get);

/** Whether lanes have work now, or when the next of their scheduled runs is due. */
export const lookScript: Script = defineScript(prelude, look);

/** The next thousand dead letters after an id, by id, and how many disposable ones stand elsewhere. */
export const pageOfDeadScript: Script = defineScript(prelude, pageOfDead);

/** About a thousand runs from a cursor on: the ids of those in a state. (Lua would compare ids by the server's locale.) */
export const scanScript: Script = defineScript(prelude, scan);
