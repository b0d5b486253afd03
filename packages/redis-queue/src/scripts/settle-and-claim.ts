import { BODY, BODY_KINDS, FIRST_START, RECORD, SCHEDULED_ENTRY } from '../record/layout.ts';
import { CLAIM, CLAIM_LANE, EXCHANGE, NO_LANE_LIMIT } from '../record/requests.ts';
import { make } from '../store/compose.ts';
import { composeScript, type Script } from '../store/store.ts';
import { beginToTake, claim, claimRarely } from './claim/claim.ts';
import { heldClaim } from './claim/held-claim.ts';
import { laneLimit } from './claim/lane-limit.ts';
import { restartedStacks, startAgain } from './claim/start-again.ts';
import { startRuns } from './claim/start-runs.ts';
import { basics } from './library/basics.ts';
import { cancelledInLane } from './library/cancelled-in-lane.ts';
import { noteCompleted } from './library/completed.ts';
import { ended } from './library/ended.ts';
import { heldWork, holds } from './library/holds.ts';
import { lanes } from './library/lanes.ts';
import { settleMoves } from './library/moves.ts';
import { readStacks } from './library/read-runs.ts';
import { forgetOldRequests, noteWorker, recall, remember } from './library/replies.ts';
import { settle, settlingEverything } from './library/settle.ts';
import { slots } from './library/slots.ts';
import { answer, argument, byteOf, fieldPast, fields, flagsAs, letter, startOf, written } from './lua.ts';

/** The index before that of the first id. */
const FIRSTS_AT = EXCHANGE.length;
/** The indexes of the values of a claim, and of those of the lane in `lane`. */
const claimValue = (name: (typeof CLAIM)[number]): string => `ARGV[CLAIM_AT + ${CLAIM.indexOf(name) + 1}]`;
const laneValue = (name: (typeof CLAIM_LANE)[number]): string =>
  `ARGV[CLAIM_AT + ${CLAIM.length - CLAIM_LANE.length + CLAIM_LANE.indexOf(name) + 1} + lane * ${CLAIM_LANE.length}]`;

// What is claimed beside ids and bodies, got: restarted are the indexes of the runs that do not start for the first time, records
// their records, overLimit the indexes of the runs beyond the limit of their key, seen the ids of runs with a record: what was
// refused half-way may have put an id into its lane twice. The lists are made when they are needed, because an exchange of a worker
// that runs one thing at a time often needs none.
const state = `
local ARGV = ARGV
local firstsCount, lanesCount, FIRSTS_AT = tonumber(${argument('firsts')}), tonumber(${argument('claimLanes')}), ${FIRSTS_AT}
local plainCount = firstsCount + ${argument('moves')}
local CLAIM_AT = FIRSTS_AT + plainCount * 2
local TEXTS_AT = CLAIM_AT + 1 + (lanesCount < 0 and 0 or ${CLAIM.length} + lanesCount * ${CLAIM_LANE.length})
local taken, bytes, settledCount = 0, 0, 0
local ids, bodies, writes, leases, trims, leaseUntil, leaseText, got
-- The limits of the tasks of the lanes; nil where none has one.
local laneLimits
`;

// Completions of first starts, if none of the runs takes a slot or has notes: those of one claim share one record. Plain moves are
// written immediately, because the claim may take them.
const checkFirsts = `
local answers, isPlain = '', ${argument('others')} == '' and plainCount <= MAX_UNPACKED
if isPlain and plainCount > 0 then
  writes = {}
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
  if isPlain and plainCount > firstsCount then
    ${make('settleMoves')}
    isPlain = settleMoves(kept)
  end
end
if isPlain then answers = string.rep(${answer('settle', 'ok')}, plainCount)
else
  ${make('settleAll')}
  answers, settledCount, writes = settleAll(), 0, nil
end
`;

const claimLanes = `
local due, again, rare, held, startAgain, known, worker, request, reply = -1, nil, nil, nil, nil, nil, nil, nil, nil
local dues
if lanesCount >= 0 then
  local limit = tonumber(${claimValue('limit')})
  worker, request = ${claimValue('worker')}, ${claimValue('request')}
  reply = worker .. '\\0' .. request
  known = call('HMGET', REPLIES, worker, reply)
  if known[2] then
    ${make('recalled')}
    again = recalled(known[2])
  end
  if ${claimValue('concurrency')} ~= '' then
    laneLimits = {}
    for limit in string.gmatch(${claimValue('concurrency')}, '%S+') do laneLimits[#laneLimits + 1] = limit ~= '${NO_LANE_LIMIT}' and limit end
  end
  local isOrdered = true
  if call('EXISTS', SCHEDULED, FRONT, CANCELLED_IN_LANE, HOLDS) > 0 then
    isOrdered = call('EXISTS', FRONT, CANCELLED_IN_LANE) == 0
    dues = {}
    ${make('nextDueOf')}
    for lane = 1, lanesCount do dues[lane] = nextDueOf(lane) end
    if call('EXISTS', HOLDS) == 1 then
      ${make('heldClaim')}
      held = heldClaim()
    end
  end
  for lane = 1, again and 0 or lanesCount do
    local room, isClosed = math.min(tonumber(${laneValue('limit')}), limit - taken), false
    if held then room, isClosed = held.roomOf(lane, room) end
    local isUsual = isOrdered and not (laneLimits and laneLimits[lane])
    local isDue, isLeft = dues and dues[lane] <= now and not isClosed, not isUsual and not isClosed
    local found, foundBodies, records, index
    repeat
      if isUsual and not isDue and room > 0 and bytes < MAX_REPLY_BYTES then
        local key = KEYS[FIXED + lane]
        -- Text where it can be: Redis formats each number that a command gets, which takes as long as a short command.
        found = call('LRANGE', key, '0', room == 1 and '0' or math.min(room, MAX_UNPACKED) - 1)
        local length = #found
        index = 1
        if length > 0 then
          ${beginToTake}
          foundBodies, records = call('HMGET', BODY, unpack(found)), call('HMGET', RECORD, unpack(found))
          -- One text for all: Lua hashes every new one.
          local hash = ${laneValue('hash')}
          local plain = ${written(FIRST_START, {
            state: letter('started'),
            flags: flagsAs('short'),
            startedAt: 'NOW',
            heartbeatAt: 'NOW',
            laneHash: 'hash',
          })}
          local written, leased = #writes, #leases
          while index <= length and bytes < MAX_REPLY_BYTES do
            local id, body, record = found[index], foundBodies[index], plain
            if not body or byte(body, ${startOf(BODY, 'kind')}) ~= ${byteOf(BODY_KINDS.none.plain)} then break end
            if records[index] then
              if not startAgain then
                ${make('startingAgain')}
                startAgain = startingAgain()
              end
              record = startAgain(id, records[index], hash)
              if not record then break end
            end
            taken = taken + 1
            ids[taken], bodies[taken] = id, body
            writes[written + 1], writes[written + 2] = id, record
            leases[leased + 1], leases[leased + 2] = leaseText, id
            written, leased, bytes, index = written + 2, leased + 2, bytes + #body, index + 1
          end
          isLeft = index <= length or (length == MAX_UNPACKED and room > length)
          if not isLeft then trims[#trims + 1] = { key, length } end
        end
      end
      local wasDue = isDue
      if isDue or isLeft then
        if not rare then
          ${make('rareClaim')}
          rare = rareClaim()
        end
        if isDue then
          rare.promote(lane, room)
          dues[lane], isDue = nextDueOf(lane), false
        elseif index then rare.claimLane(lane, room - index + 1, found, foundBodies, records, index)
        elseif room > 0 and bytes < MAX_REPLY_BYTES then rare.claimLane(lane, room) end
      end
    until not wasDue
    if held then held.note(lane) end
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
if held then held.write() end
if settledCount + taken > 0 then
  call('HDEL', CANCELLED_IN_LANE, '')
  if #writes > MAX_UNPACKED then
    ${make('inPieces')}
    inPieces('HSET', RECORD, writes)
  else call('HSET', RECORD, unpack(writes)) end
end
if settledCount > 0 then
  call('ZREM', LEASES, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + settledCount))
  local added, total = settledCount, call('RPUSH', FINISHED, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + settledCount))
  ${noteCompleted}
end
if taken > 0 then
  if #leases > MAX_UNPACKED then
    ${make('inPieces')}
    inPieces('ZADD', LEASES, leases)
  else call('ZADD', LEASES, unpack(leases)) end
end
if rare then rare.writeOthers() end
if trims then
  for index = 1, #trims do call('LTRIM', trims[index][1], trims[index][2], '-1') end
end
if rare then rare.writeLast() end
if held then due = held.nextWorkAt() end
if again then
  return { now, answers, due, again.startedAt, again.leaseUntil, again.ids, again.bodies, again.overLimit, again.restarted, again.records, again.stacks }
elseif taken == 0 then return { now, answers, due } end
${remember}
if not got then return { now, answers, due, now, leaseUntil, ids, bodies } end
local stacks = {}
if got.hasStacks then
  ${make('restartedStacks')}
  stacks = restartedStacks()
end
return { now, answers, due, now, leaseUntil, ids, bodies, got.overLimit, got.restarted, got.records, stacks, got.probes }
`;

// When the next scheduled run of a lane is due.
const nextDue = `
local tag = tagOf(lane)
local first = call('ZRANGEBYLEX', SCHEDULED, '[' .. tag .. '\\0', '(' .. tag .. '\\1', 'LIMIT', 0, 1)[1]
return first and tonumber(sub(first, ${fieldPast('tag', SCHEDULED_ENTRY, 'runAt')})) or math.huge
`;

/** Sends a command over a list that may be longer than Lua's unpack allows. */
const inPieces = 'many(command, key, values)';

const all = [basics, ended, slots, cancelledInLane, lanes, readStacks];

/**
 * Settles finished claims, then makes new ones. The usual way is in line: completions of first starts, and first starts of runs
 * without a concurrency key and notes. Everything else is in functions that make what they need when they are called.
 */
export const settleAndClaimScript: Script = composeScript({
  library: [basics],
  state,
  rare: [
    { signature: 'settleAll()', library: [...all, settle], body: settlingEverything('') },
    { signature: 'rareClaim()', library: [...all, laneLimit, startRuns, claim], body: claimRarely },
    { signature: 'recalled(kept)', library: [basics, readStacks], body: recall },
    { signature: 'nextDueOf(lane)', library: [basics], body: nextDue },
    {
      signature: 'heldClaim()',
      library: [basics, cancelledInLane, holds, heldWork],
      body: heldClaim,
    },
    {
      signature: 'forgetMarked(oldest)',
      library: [basics, ended],
      body: 'forgetEntries(oldest)\nwriteCounts()',
    },
    {
      signature: 'forgetOldRuns(most)',
      library: [basics, ended],
      body: 'forgetOld(most)\nwriteCounts()\nreturn KEEP',
    },
    { signature: 'inPieces(command, key, values)', library: [basics], body: inPieces },
    { signature: 'forgetOldRequests(list, worker)', library: [basics], body: forgetOldRequests },
    { signature: 'noteWorker(list, worker)', library: [basics], body: noteWorker },
    { signature: 'settleMoves(kept)', library: [basics], body: settleMoves },
    { signature: 'startingAgain()', library: [basics], body: startAgain },
    { signature: 'restartedStacks()', library: [basics, readStacks], body: restartedStacks },
  ],
  main: checkFirsts + claimLanes + write,
});
