import { CLAIM, CLAIMED } from '../record/layout.ts';
import { defineScript, type Script } from '../store/store.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { claim } from './library/claim.ts';
import { ended } from './library/ended.ts';
import { lanes } from './library/lanes.ts';
import { prelude } from './library/prelude.ts';
import { readStacks } from './library/read-runs.ts';
import { replies } from './library/replies.ts';
import { settle } from './library/settle.ts';
import { slots } from './library/slots.ts';

const NOTHING_CLAIMED = CLAIMED.map((name) =>
  name === 'startedAt' || name === 'leaseUntil' ? 'now' : '{}',
).join(', ');

const request = `
local tags, firsts, batch, wanted = unpack(cmsgpack.unpack(ARGV[3]))
`;

const main = String.raw`
local answers = ''
checkLanes()
writeWithoutMemory()
if #firsts + #batch > 0 then
  answers = settleFirsts(firsts) .. settleRuns(batch)
  -- The order of writes, so that a script that stops half-way loses nothing when the settlements are sent again:
  -- 1. texts that are kept apart, and the new locations of waiting runs
  -- 2. their records, by which a settlement that is sent again is answered
  -- 3. everything that would not be done again then
  many('HSET', STACKS, newStacks)
  many('HSET', LARGE, newLarge)
  for lane, ids in pairs(pushes) do pushBack(laneKey(lane), tags[lane], ids) end
  pushFront(released, tags, writes)
  putOnSchedule(schedules, tags, writes)
  many('HSET', RECORD, writes)
  writeSlots()
  many('ZREM', LEASES, settledIds)
  many('HDEL', STACKS, staleStacks)
  writeEnded()
  writeCounts()
end

if #wanted == 0 then
  return { now, answers, -1, ${NOTHING_CLAIMED} }
end

local asked = {}
${CLAIM.map((name) => `asked.${name}`).join(', ')} = unpack(wanted)
local known = recall(asked)
if known then
  return { now, answers, nextDue(asked, tags), unpack(known) }
end
-- One long member makes Redis keep the set as a skip list: every change of a compact list would read all of it.
if call('EXISTS', LEASES) == 0 then call('ZADD', LEASES, '+inf', string.rep('\0', 65)) end
local sizes = claimRuns(asked, tags)
local stacks = stacksOfStarts()
if taken > 0 then remember(asked, stacks) end
writeSlots()
writeCounts()
local due = -1
if sizes.scheduled > 0 then due = nextDue(asked, tags) end
got.startedAt, got.leaseUntil, got.stacks = now, leaseUntil, stacks
return { now, answers, due, unpack(claimedList(got)) }
`;

/** Settles finished claims, then makes new ones. */
export const settleAndClaimScript: Script = defineScript(
  prelude,
  request,
  ended,
  slots,
  cancelledInLane,
  lanes,
  readStacks,
  settle,
  claim,
  replies,
  main,
);
