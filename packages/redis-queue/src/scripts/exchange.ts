import { defineScript, type Script } from '../script.ts';
import { claim } from './claim.ts';
import { concurrency } from './concurrency.ts';
import { ended } from './ended.ts';
import { places } from './places.ts';
import { prelude } from './prelude.ts';
import { replies } from './replies.ts';
import { settle } from './settle.ts';
import { stacks } from './stacks.ts';

const main = String.raw`
local keep = tonumber(ARGV[1])
local request = cmsgpack.unpack(ARGV[2])
local tags, firsts, batch, wanted = unpack(request)

local answers = ''
writeWithoutMemory()
if #firsts + #batch > 0 then
  answers = settleFirsts(firsts) .. settleRuns(batch)
  many('ZREM', LEASES, settledIds)
  for lane, ids in pairs(pushes) do pushBack(laneKey(lane), tags[lane], ids) end
  pushFront(released, tags, writes)
  putOnSchedule(schedules, tags, writes)
  many('HSET', RECORD, writes)
  many('HSET', STACKS, newStacks)
  many('HDEL', STACKS, staleStacks)
  writeEnded(keep)
end

if #wanted == 0 then
  writeCounts()
  return { now, answers, -1, now, 0, {}, {}, {}, {}, {}, {} }
end

local asked = { worker = wanted[1], request = wanted[2], limit = wanted[3], leaseMs = wanted[4], lanes = wanted[5] }
local known = recall(asked)
if known then
  writeCounts()
  return { now, answers, nextDue(asked, tags), unpack(known) }
end
-- One long member makes the set a skip list: as a list of short ones, every change would cost a walk through it.
if call('EXISTS', LEASES) == 0 then call('ZADD', LEASES, '+inf', string.rep('\0', 65)) end
local most = claimRuns(asked, tags)
local stacks = stacksOfStarts()
if taken > 0 then remember(asked, stacks) end
writeCounts()
local due = -1
if most.scheduled > 0 then due = nextDue(asked, tags) end
return { now, answers, due, now, leaseUntil, got.over, got.ids, got.bodies, got.places, got.records, stacks }
`;

/** Settles finished claims, then makes new ones. */
export const exchangeScript: Script = defineScript(
  prelude,
  ended,
  concurrency,
  places,
  stacks,
  settle,
  claim,
  replies,
  main,
);
