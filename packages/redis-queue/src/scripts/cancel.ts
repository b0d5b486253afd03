import { defineScript, type Script } from '../store/script.ts';
import { concurrency } from './library/concurrency.ts';
import { ended } from './library/ended.ts';
import { ghosts } from './library/ghosts.ts';
import { places } from './library/places.ts';
import { prelude } from './library/prelude.ts';

const main = String.raw`
writeWithoutMemory()
local ids = cmsgpack.unpack(ARGV[3])
local bodies, kept, current, answers, writes = readAll(BODY, ids), readAll(RECORD, ids), {}, {}, {}

local function write(id, record)
  current[id] = record
  writes[#writes + 1] = id
  writes[#writes + 1] = record
end

-- A run with a place in its record stands at the front, or is parked; one without stands in the list of its lane.
local function takeFromWaiting(id, body, record)
  local lane = laneOf(body)
  if not record or sub(record, 94, 109) == NOWHERE then
    call('HINCRBY', GHOSTS, lane .. '\0' .. id, 1)
    return addGhosts(lane, 1)
  end
  local place = sub(record, 94, 109)
  local wasFront = call('ZREM', FRONT, lane .. '\0' .. place .. id) == 1
  local whenFull, limit, key = concurrencyOf(body)
  if not whenFull then return end
  if wasFront then offerNext(key)
  else call('ZREM', PARKED, key .. '\0' .. lane .. '\0' .. limit .. '\0' .. place .. id) end
end

local function cancelled(body, record)
  if record then
    return 'X' .. sub(record, 2, 64) .. NOW .. sub(record, 78, 93) .. NOWHERE .. sub(record, 110)
  end
  local at = sub(body, 1, 13)
  return 'X' .. freshFlags(body) .. '0000000000' .. at .. NEVER .. NEVER .. NEVER .. NOW .. '000' .. at .. NOWHERE .. '\0\0'
end

for index = 1, #ids do
  local id, body = ids[index], bodies[index]
  local record = current[id] or kept[index] or nil
  local state = record and sub(record, 1, 1) or 'w'
  if not body then answers[index] = 'g'
  elseif state == 'r' then
    local flags = flagsOf(record)
    answers[index] = 'r'
    write(id, withFlags(record, flags - flags % 2 + 1))
  elseif state == 'w' or state == 'd' then
    -- One that cannot be read is set aside by the claim that meets it: where it stands is not known here.
    if not isBody(body) or (record and not isRecord(record)) then answers[index] = 'r'
    else
      answers[index] = 'c'
      if state == 'w' then takeFromWaiting(id, body, record)
      else call('ZREM', SCHEDULED, memberOfSchedule(laneOf(body), record, id)) end
      local new = cancelled(body, record)
      write(id, new)
      endRun(id, new, body)
    end
  else answers[index] = 'e' end
end
many('HSET', RECORD, writes)
writeEnded()
writeCounts()
return table.concat(answers)
`;

/** Cancels runs that wait, at once, and leaves word for the workers of started ones. */
export const cancelScript: Script = defineScript(prelude, concurrency, ended, ghosts, places, main);
