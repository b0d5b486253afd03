import { defineScript, type Script } from '../script.ts';
import { prelude } from './prelude.ts';
import { stacks } from './stacks.ts';

const heartbeat = `
-- The record with its heartbeat at this instant, unless it has a later one.
local function heard(record)
  local at = isShort(record) and 16 or 52
  local last = sub(record, at, at + 12)
  return sub(record, 1, at - 1) .. (last > NOW and last or NOW) .. sub(record, at + 13)
end

local leaseUntil = now + tonumber(ARGV[1])
writeWithoutMemory()
local beats = cmsgpack.unpack(ARGV[2])
local ids, answers, writes, leases = {}, {}, {}, {}
for index = 1, #beats / 2 do ids[index] = beats[index * 2 - 1] end
local kept = readAll(RECORD, ids)
for index = 1, #ids do
  local id, record = ids[index], kept[index]
  if not record then
    answers[index] = call('HEXISTS', BODY, id) == 1 and 'f' or 'g'
  elseif byte(record, 1) ~= 114 or epochOf(record) ~= beats[index * 2] then
    answers[index] = 'f'
  else
    answers[index] = flagsOf(record) % 2 == 1 and 'c' or 'o'
    writes[#writes + 1] = id
    writes[#writes + 1] = heard(record)
    leases[#leases + 1] = leaseUntil
    leases[#leases + 1] = id
  end
end
many('HSET', RECORD, writes)
-- A lease never shrinks.
for from = 1, #leases, MOST do
  call('ZADD', LEASES, 'GT', unpack(leases, from, math.min(from + MOST - 1, #leases)))
end
return table.concat(answers)
`;

const expired = `
local ids = call('ZRANGEBYSCORE', LEASES, '-inf', now, 'LIMIT', 0, tonumber(ARGV[1]))
local records = readAll(RECORD, ids)
return { ids, readAll(BODY, ids), records, stacksOf(ids, records) }
`;

/** Extends leases and notes when. */
export const heartbeatScript: Script = defineScript(prelude, heartbeat);

/** Started runs whose lease has run out, longest ago first. */
export const expiredScript: Script = defineScript(prelude, stacks, expired);
