import { settledBy } from '@retry/core/broker/kit';
import { FIRST_START, LATER_COMPLETION, LATER_COMPLETION_MARK, RECORD } from '../../record/layout.ts';
import {
  argument,
  behind,
  byteOf,
  field,
  fields,
  flagsAs,
  letter,
  rewrittenFields,
  startOf,
} from '../lua.ts';
import { noteCompleted } from './completed.ts';

/** What follows the epoch in `settledBy` of a completion. */
const BY_COMPLETE = settledBy(1, 'complete').slice('1'.length);

/** Whether `record` is the short form of a later completion. */
const isLater = `byte(record, ${startOf(LATER_COMPLETION, 'mark')}) == ${byteOf(LATER_COMPLETION_MARK)}`;

/** The epoch that `record` settles: a plain move is a record, or the short form of a later completion. */
const epochOfMove = `${isLater} and sub(record, ${field(LATER_COMPLETION, 'epoch')}) or sub(record, ${field(RECORD, 'epoch')})`;

/** `settledBy` of a completion, with its final zero character. */
const byCompletion = `tonumber(epoch) .. '${BY_COMPLETE}\\0'`;

/**
 * The record of a run that completes at a later start, from the short form `short`, `by` and its old record `old`.
 *
 * @param first - where the first zero character of the old record is; `second` - the second one
 */
export function completedLater(
  flags: string,
  { first, second }: { readonly first: string; readonly second: string },
): string {
  const head = rewrittenFields('old', {
    state: letter('completed'),
    flags,
    heartbeatAt: `sub(short, ${field(LATER_COMPLETION, 'heartbeatAt')})`,
    endedAt: `sub(short, ${field(LATER_COMPLETION, 'endedAt')})`,
    laneSeq: 'NO_SEQ',
  });
  return `${head} .. by .. sub(old, ${first} + 1, ${second}) .. sub(short, ${behind(LATER_COMPLETION)})`;
}

/**
 * Settles completions of first starts and plain moves, and writes them, unless one of them is not what it seems: then it writes
 * nothing and returns false. The caller has looked at the completions of first starts.
 *
 * The order of writes, so that a script that stops half-way loses nothing when the settlements are sent again:
 * 1. runs go to the back of their lane
 * 2. the records, by which settlements are answered
 * 3. what would not be done again then
 */
export const settleMoves: string = String.raw`
local lane, hash = tonumber(${argument('movesLane')}), ${argument('movesHash')}
local pushed, finished, next, heads, bys, plain = {}, {}, #writes, {}, {}, nil
for index = 1, firstsCount do finished[index] = ARGV[FIRSTS_AT + index] end
for index = firstsCount + 1, plainCount do
  local id, record, old = ARGV[FIRSTS_AT + index], ARGV[FIRSTS_AT + plainCount + index], kept[index]
  if not old then return false end
  local epoch = ${epochOfMove}
  if not heads[epoch] then
    heads[epoch], bys[epoch] = ${letter('started')} .. ${flagsAs()} .. epoch, ${byCompletion}
  end
  if sub(old, ${fields(RECORD, 'state', 'epoch')}) == heads[epoch] then
    if sub(old, ${field(RECORD, 'laneSeq')}) ~= hash then return false end
  elseif tonumber(epoch) ~= 1 then return false
  elseif old ~= plain then
    -- Runs of one claim that have started for the first time share one record.
    if sub(old, ${fields(FIRST_START, 'state', 'flags')}) ~= ${letter('started')} .. ${flagsAs('short')} then return false end
    if sub(old, ${field(FIRST_START, 'laneHash')}) ~= hash then return false end
    plain = old
  end
  if ${isLater} then
    local zero = find(old, '\0', ${behind(RECORD)}, true)
    local second = zero and find(old, '\0', zero + 1, true)
    if not second then return false end
    local short, by = record, bys[epoch]
    record = ${completedLater(flagsAs(), { first: 'zero', second: 'second' })}
    finished[#finished + 1] = id
  else pushed[#pushed + 1] = id end
  writes[next + 1], writes[next + 2] = id, record
  next = next + 2
end
checkRights()
for number = FIXED + 1, #KEYS do call('LLEN', KEYS[number]) end
-- A deletion comes first: see writeWithoutMemory.
call('HDEL', CANCELLED_IN_LANE, '')
if #pushed > 0 and many('RPUSH', KEYS[FIXED + lane], pushed) == #pushed then wake(tagOf(lane)) end
many('HSET', RECORD, writes)
call('ZREM', LEASES, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + plainCount))
if #finished > 0 then
  local added, total = #finished, many('RPUSH', FINISHED, finished)
  ${noteCompleted}
end
settledCount, writes = 0, {}
return true
`;

/** The values of plain moves that cannot be settled together, as of other settlements. */
export const movesOneByOne: string = `
if plainCount > firstsCount then
  for number = 1, #KEYS - FIXED do tags[number] = tagOf(number) end
end
for index = firstsCount + 1, plainCount do
  local id, record = ARGV[FIRSTS_AT + index], ARGV[FIRSTS_AT + plainCount + index]
  local epoch = ${epochOfMove}
  local by = ${isLater} and ${byCompletion} or sub(record, ${behind(RECORD)}, zeroAfter(record, ${behind(RECORD)}))
  addSettlement(batch, { id = id, epoch = epoch, by = by, mode = 0, lane = tonumber(${argument('movesLane')}), record = record, dueInMs = -1 })
end
`;
