import { defineScript, type Script } from '../store/script.ts';
import { claim } from './library/claim.ts';
import { concurrency } from './library/concurrency.ts';
import { ended } from './library/ended.ts';
import { ghosts } from './library/ghosts.ts';
import { places } from './library/places.ts';
import { prelude } from './library/prelude.ts';
import { replies } from './library/replies.ts';
import { settle } from './library/settle.ts';
import { stacks } from './library/stacks.ts';

const request = `
local tags, firsts, batch, wanted = unpack(cmsgpack.unpack(ARGV[3]))
`;

const main = String.raw`
local answers = ''
checkLanes()
writeWithoutMemory()
if #firsts + #batch > 0 then
  answers = settleFirsts(firsts) .. settleRuns(batch)
  -- Their texts and where they are to be come first, then their records, by which the settlements are answered should they be
  -- sent again, and then at once what would not be done again: a script that stops has lost none.
  many('HSET', STACKS, newStacks)
  many('HSET', LARGE, newLarge)
  for lane, ids in pairs(pushes) do pushBack(laneKey(lane), tags[lane], ids) end
  pushFront(released, tags, writes)
  putOnSchedule(schedules, tags, writes)
  many('HSET', RECORD, writes)
  writeHeld()
  many('ZREM', LEASES, settledIds)
  many('HDEL', STACKS, staleStacks)
  writeEnded()
  writeCounts()
end

if #wanted == 0 then
  return { now, answers, -1, now, 0, {}, {}, {}, {}, {}, {}, {} }
end

local asked = { worker = wanted[1], request = wanted[2], limit = wanted[3], leaseMs = wanted[4], lanes = wanted[5] }
local known = recall(asked)
if known then
  return { now, answers, nextDue(asked, tags), unpack(known) }
end
-- One long member makes the set a skip list: as a list of short ones, every change would cost a walk through it.
if call('EXISTS', LEASES) == 0 then call('ZADD', LEASES, '+inf', string.rep('\0', 65)) end
local most = claimRuns(asked, tags)
local stacks = stacksOfStarts()
if taken > 0 then remember(asked, stacks) end
writeHeld()
writeCounts()
local due = -1
if most.scheduled > 0 then due = nextDue(asked, tags) end
return { now, answers, due, now, leaseUntil, got.over, got.ids, got.bodies, got.places, got.records, stacks, got.payloads }
`;

/** Settles finished claims, then makes new ones. */
export const exchangeScript: Script = defineScript(
  prelude,
  request,
  ended,
  concurrency,
  ghosts,
  places,
  stacks,
  settle,
  claim,
  replies,
  main,
);
