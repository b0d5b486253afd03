import { DEAD_LETTER_STATES, RECORD } from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { field, letter } from './lua.ts';

const pageOfDead = `
local from = ARGV[1] == '' and '-' or '(' .. ARGV[1]
local ids = call('ZRANGEBYLEX', DEAD, from, '+', 'LIMIT', 0, 1000)
local others = -call('ZCARD', DEAD)
for _, ended in ipairs(call('HMGET', META, ${DEAD_LETTER_STATES.map((state) => letter(state)).join(', ')})) do others = others + (ended or 0) end
return { ids, others }
`;

const scan = `
local reply = call('HSCAN', BODY, ARGV[1], 'COUNT', 500)
local pairs_, ids, found = reply[2], {}, {}
for index = 1, #pairs_ / 2 do ids[index] = pairs_[index * 2 - 1] end
local records = readAll(RECORD, ids)
for index = 1, #ids do
  local state = records[index] and sub(records[index], ${field(RECORD, 'state')}) or ${letter('submitted')}
  if state == ARGV[2] then found[#found + 1] = ids[index] end
end
return { reply[1], found }
`;

/** Reads the next thousand dead letters after an id, by id, and how many runs ended alike but are disposable. */
export const pageOfDeadScript: Script = composeScript({ library: [basics], main: pageOfDead });

/** Reads some hundred runs from a cursor on, and returns the ids of those in a state. (Lua would compare ids by the server's locale.) */
export const scanScript: Script = composeScript({ library: [basics], main: scan });
