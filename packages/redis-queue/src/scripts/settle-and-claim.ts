import {
  BODY,
  BODY_KINDS,
  CLAIM,
  CLAIM_LANE,
  EXCHANGE,
  FIRST_START,
  RECORD,
  SCHEDULED_ENTRY,
} from '../record/layout.ts';
import { composeScript, type Script } from '../store/store.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { claim, claimRarely } from './library/claim.ts';
import { ended } from './library/ended.ts';
import { lanes } from './library/lanes.ts';
import { settleMoves } from './library/moves.ts';
import { readStacks } from './library/read-runs.ts';
import { forgetOldRequests, noteWorker, recall, remember } from './library/replies.ts';
import { settle, settleEverything } from './library/settle.ts';
import { slots } from './library/slots.ts';
import { restartedStacks, startAgain } from './library/start-again.ts';
import { startRuns } from './library/start-runs.ts';
import { answer, argument, byteOf, fieldPast, fields, flagsAs, letter, startOf, written } from './lua.ts';

/** The index before that of the first id. */
const FIRSTS_AT = EXCHANGE.length;
/** Longer than a member of a compact list. */
const LONG_MEMBER = 65;

const state = `
local ARGV = ARGV
local firstsCount, lanesCount, FIRSTS_AT = tonumber(${argument('firsts')}), tonumber(${argument('claimLanes')}), ${FIRSTS_AT}
local plainCount = firstsCount + tonumber(${argument('moves')})
local CLAIM_AT = FIRSTS_AT + plainCount * 2
local TEXTS_AT = CLAIM_AT + 1 + (lanesCount < 0 and 0 or ${CLAIM.length} + lanesCount * ${CLAIM_LANE.length})
local ids, bodies, taken, bytes = {}, {}, 0, 0
local writes, leases, trims = {}, {}, {}
local leaseUntil, leaseText = 0, nil
-- What is claimed beside ids and bodies. restarted are the indexes of the runs that do not start for the first time, records their
-- records, overLimit the indexes of the runs beyond the limit of their key, seen the ids of runs with a record: what was refused
-- half-way may have put an id into its lane twice.
local got
local function tagOf(lane)
  return sub(KEYS[FIXED + lane], #BODY + 2)
end
local function setLease()
  if leaseText then return end
  leaseUntil = math.floor(instantOf(now + tonumber(ARGV[CLAIM_AT + ${CLAIM.indexOf('leaseMs') + 1}])))
  -- As text: a number would be formatted anew for each run. One long member makes Redis keep the set as a skip list: every change
  -- of a compact list would read all of it.
  leaseText = string.format('%.0f', leaseUntil)
  leases[1], leases[2] = '+inf', string.rep('\\0', ${LONG_MEMBER})
end
`;

// Completions of first starts, if none of the runs takes a slot or has notes: those of one claim share one record. Plain moves are
// written immediately, because the claim may take them.
const checkFirsts = `
local answers, isPlain = '', ${argument('others')} == '' and plainCount <= MAX_UNPACKED
if isPlain and plainCount > 0 then
  local kept, plain = call('HMGET', RECORD, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + plainCount)), nil
  for index = 1, firstsCount do
    local old = kept[index]
    if old ~= plain then
      if not old or sub(old, ${fields(RECORD, 'state', 'flags')}) ~= ${letter('started')} .. ${flagsAs('short')} then
        isPlain = false
        break
      end
      plain = old
    end
    writes[index * 2 - 1], writes[index * 2] = ARGV[FIRSTS_AT + index], ARGV[FIRSTS_AT + plainCount + index]
  end
  settledCount = firstsCount
  if isPlain and plainCount > firstsCount then isPlain = settleMoves(kept) end
end
if isPlain then answers = string.rep(${answer('settle', 'ok')}, plainCount)
else answers, settledCount, writes = settleAll(), 0, {} end
`;

const claimLanes = `
local due, again, rare, startAgain, known, worker, request = -1, nil, nil, nil, nil, nil, nil
if lanesCount >= 0 then
  local limit = tonumber(ARGV[CLAIM_AT + ${CLAIM.indexOf('limit') + 1}])
  worker, request = ARGV[CLAIM_AT + ${CLAIM.indexOf('worker') + 1}], ARGV[CLAIM_AT + ${CLAIM.indexOf('request') + 1}]
  known = call('HMGET', REPLIES, worker, worker .. '\\0' .. request)
  if known[2] then again = recalled(known[2]) end
  local isOrdered, dues = true, nil
  if call('EXISTS', SCHEDULED, FRONT, CANCELLED_IN_LANE) > 0 then
    isOrdered = call('EXISTS', FRONT, CANCELLED_IN_LANE) == 0
    dues = {}
    for lane = 1, lanesCount do dues[lane] = nextDueOf(lane) end
  end
  for lane = 1, again and 0 or lanesCount do
    local room = math.min(tonumber(ARGV[CLAIM_AT + ${CLAIM.length - CLAIM_LANE.length + CLAIM_LANE.indexOf('limit') + 1} + lane * ${CLAIM_LANE.length}]), limit - taken)
    if dues and dues[lane] <= now then
      rare = rare or rareClaim()
      rare.promote(lane, room)
      dues[lane] = nextDueOf(lane)
    end
    if room > 0 and bytes < MAX_REPLY_BYTES then
      if not isOrdered then
        rare = rare or rareClaim()
        rare.claimLane(lane, room)
      else
        local key = KEYS[FIXED + lane]
        local found = call('LRANGE', key, 0, math.min(room, MAX_UNPACKED) - 1)
        local count, index = #found, 1
        if count > 0 then
          setLease()
          local foundBodies, records = call('HMGET', BODY, unpack(found)), call('HMGET', RECORD, unpack(found))
          -- One text for all: Lua hashes every new one.
          local hash = ARGV[CLAIM_AT + ${CLAIM.length - CLAIM_LANE.length + CLAIM_LANE.indexOf('hash') + 1} + lane * ${CLAIM_LANE.length}]
          local plain = ${written(FIRST_START, {
            state: letter('started'),
            flags: flagsAs('short'),
            startedAt: 'NOW',
            heartbeatAt: 'NOW',
            laneHash: 'hash',
          })}
          local written, leased = #writes, #leases
          while index <= count and bytes < MAX_REPLY_BYTES do
            local id, body, record = found[index], foundBodies[index], plain
            if not body or byte(body, ${startOf(BODY, 'kind')}) ~= ${byteOf(BODY_KINDS.none.plain)} then break end
            if records[index] then
              startAgain = startAgain or startingAgain()
              record = startAgain(id, records[index], hash)
              if not record then break end
            end
            taken = taken + 1
            ids[taken], bodies[taken] = id, body
            writes[written + 1], writes[written + 2] = id, record
            leases[leased + 1], leases[leased + 2] = leaseText, id
            written, leased, bytes, index = written + 2, leased + 2, bytes + #body, index + 1
          end
          if index <= count or (count == MAX_UNPACKED and room > count) then
            rare = rare or rareClaim()
            rare.claimLane(lane, room - index + 1, found, foundBodies, records, index)
          else trims[#trims + 1] = { key, count } end
        end
      end
    end
  end
  if dues then
    for lane = 1, lanesCount do
      if dues[lane] < math.huge and (due < 0 or dues[lane] < due) then due = dues[lane] end
    end
  end
end
`;

// The order of writes, so that a script that stops half-way loses nothing when it is sent again: the records, by which settlements
// are answered, then what would not be done again; started runs leave their lanes last. A deletion comes first: see writeWithoutMemory.
const write = `
if settledCount + taken > 0 then call('HDEL', CANCELLED_IN_LANE, '') end
many('HSET', RECORD, writes)
if settledCount > 0 then
  call('ZREM', LEASES, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + settledCount))
  noteCompleted(settledCount, call('RPUSH', FINISHED, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + settledCount)))
end
if taken > 0 then many('ZADD', LEASES, leases) end
if rare then rare.writeOthers() end
for index = 1, #trims do call('LTRIM', trims[index][1], trims[index][2], -1) end
if rare then rare.writeLast() end
if again then
  return { now, answers, due, again.startedAt, again.leaseUntil, again.ids, again.bodies, again.overLimit, again.restarted, again.records, again.stacks }
elseif taken == 0 then return { now, answers, due }
elseif got then
  remember(known, worker, request, { now, leaseUntil, ids, got.overLimit, got.restarted, got.epochs })
  return { now, answers, due, now, leaseUntil, ids, bodies, got.overLimit, got.restarted, got.records, got.hasStacks and restartedStacks() or {} }
end
remember(known, worker, request, { now, leaseUntil, ids })
return { now, answers, due, now, leaseUntil, ids, bodies }
`;

// When the next scheduled run of a lane is due.
const nextDue = `
local tag = tagOf(lane)
local first = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\\0', '(' .. tag .. '\\1', 'LIMIT', 0, 1)[1]
return first and tonumber(sub(first, ${fieldPast('tag', SCHEDULED_ENTRY, 'runAt')})) or math.huge
`;

// Counts runs that completed, of which the list has total now, and forgets the oldest ones.
const noteCompleted = `
local completed, keep, marked = added, tonumber(${argument('keepCompleted')}), false
if keep >= 0 and total > keep then
  local oldest = call('LPOP', FINISHED, math.min(total - keep, added + 1000))
  for index = 1, #oldest do marked = marked or byte(oldest[index], 1) == 0 end
  if marked then forgetMarked(oldest)
  else
    many('HDEL', BODY, oldest)
    many('HDEL', RECORD, oldest)
    call('HINCRBY', META, 'forgotten', #oldest)
    completed = completed - #oldest
  end
end
if completed ~= 0 then call('HINCRBY', META, ${letter('completed')}, completed) end
`;

/** Whether there is anything to settle. */
const SETTLES = `plainCount > 0 or ${argument('others')} ~= ''`;
const all = [basics, ended, slots, cancelledInLane, lanes, readStacks];

/**
 * Settles finished claims, then makes new ones. The usual way is in line: completions of first starts, and first starts of runs
 * without a concurrency key and notes. Everything else is in functions that make what they need when they are called.
 */
export const settleAndClaimScript: Script = composeScript({
  library: [basics],
  state: `${state}local settledCount = 0`,
  rare: [
    { signature: 'settleAll()', when: SETTLES, library: [...all, settle], body: settleEverything },
    { signature: 'rareClaim()', library: [...all, startRuns, claim], body: claimRarely },
    { signature: 'recalled(kept)', library: [basics, readStacks], body: recall },
    { signature: 'nextDueOf(lane)', library: [], body: nextDue },
    {
      signature: 'forgetMarked(oldest)',
      when: SETTLES,
      library: [basics, ended],
      body: 'forgetEntries(oldest)\nwriteCounts()',
    },
    { signature: 'noteCompleted(added, total)', when: SETTLES, library: [], body: noteCompleted },
    { signature: 'forgetOldRequests(list, worker)', library: [], body: forgetOldRequests },
    { signature: 'noteWorker(list, worker)', library: [], body: noteWorker },
    { signature: 'settleMoves(kept)', when: SETTLES, library: [basics], body: settleMoves },
    { signature: 'startingAgain()', library: [basics], body: startAgain },
    { signature: 'restartedStacks()', library: [basics, readStacks], body: restartedStacks },
    { signature: 'remember(known, worker, request, keptClaim)', library: [], body: remember },
  ],
  main: checkFirsts + claimLanes + write,
});
