import { FIRST_START, FLAGS, flagText, RECORD } from '../../packages/redis-queue/src/record/layout.ts';
import {
  answer,
  byteOf,
  fields,
  flagsAs,
  has,
  hasMode,
  isIn,
  isNotIn,
  letter,
  startOf,
} from '../../packages/redis-queue/src/scripts/lua.ts';

/** A mistake in the scripts, which the differential test notices. */
export interface Mutant {
  readonly name: string;
  /** Text of the scripts. */
  readonly right: string;
  readonly wrong: string;
  /** It is noticed by runs that have neither a key nor notes. */
  readonly isOfPlainRuns?: boolean;
}

/** One mistake for each law that the scripts keep. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no fence: a settlement of any epoch is accepted',
    right: `if ${isNotIn('old', 'started')} or epochOf(old) ~= epoch then return`,
    wrong: `if ${isNotIn('old', 'started')} then return`,
  },
  {
    name: 'a list leaves out what is parked',
    right: "local parked = call('ZRANGEBYLEX', PARKED_BY_LANE, low,",
    wrong: "local parked = call('ZRANGEBYLEX', PARKED_BY_LANE, '(' .. tag .. '\\255',",
  },
  {
    name: 'a run that is cancelled while it is parked stays among those of its lane',
    right: "call('ZREM', PARKED_BY_LANE, lane .. '\\0' .. seq .. id)",
    wrong: '',
  },
  {
    name: 'no fence on heartbeats',
    right: `elseif ${isNotIn('record', 'started')} or epochOf(record) ~= heartbeats[index * 2] then`,
    wrong: `elseif ${isNotIn('record', 'started')} then`,
  },
  {
    name: 'a repeated first completion is fenced',
    right: `return ${isIn('record', 'completed')} and by == FIRST_BY`,
    wrong: 'return false',
  },
  {
    name: 'a heartbeat moves the first start',
    right: `isShort(record) and ${startOf(FIRST_START, 'heartbeatAt')} or ${startOf(RECORD, 'heartbeatAt')}`,
    wrong: `isShort(record) and ${startOf(FIRST_START, 'startedAt')} or ${startOf(RECORD, 'heartbeatAt')}`,
  },
  {
    name: 'a first start does not record that it takes a slot',
    right: `record = ${letter('started')} .. char(${byteOf(flagText('short'))} + bits)`,
    wrong: `record = ${letter('started')} .. char(${byteOf(flagText('short'))} + bits - bits % ${FLAGS.takesSlot * 2})`,
  },
  {
    name: 'a first completion keeps its lease',
    right: "call('ZREM', LEASES, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + settledCount))",
    wrong: "call('HDEL', CANCELLED_IN_LANE, '')",
  },
  {
    name: 'a first completion is accepted whatever its run is',
    right: `if not old or sub(old, ${fields(RECORD, 'state', 'flags')}) ~= ${letter('started')} .. ${flagsAs('short')} then`,
    wrong: 'if not old then',
  },
  {
    name: 'a first start has no lease',
    right: "else call('ZADD', LEASES, unpack(leases)) end",
    wrong: 'end',
  },
  {
    name: 'a first start stays in its lane',
    right: 'trims[#trims + 1] = { key, length }',
    wrong: '',
  },
  {
    name: 'the usual way does not see runs that are due',
    right: 'dues and dues[lane] <= now and not isClosed,',
    wrong: 'false,',
  },
  {
    name: 'the usual way passes over the front of a lane',
    right: "isOrdered = call('EXISTS', FRONT, CANCELLED_IN_LANE) == 0",
    wrong: 'isOrdered = true',
  },
  {
    name: 'the usual way starts a run again as if for the first time',
    isOfPlainRuns: true,
    right: 'if records[index] then',
    wrong: 'if false then',
  },
  {
    name: 'a plain move of any epoch is accepted',
    isOfPlainRuns: true,
    right: ') == heads[epoch] then',
    wrong: ") ~= '' then",
  },
  {
    name: 'a plain move keeps its lease',
    isOfPlainRuns: true,
    right: "call('ZREM', LEASES, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + plainCount))",
    wrong: '',
  },
  {
    name: 'runs that go back to their lane together are in no lane',
    isOfPlainRuns: true,
    right:
      "if #pushed > 0 and many('RPUSH', KEYS[FIXED + lane], pushed) == #pushed then wake(tagOf(lane)) end",
    wrong: '',
  },
  {
    name: 'later completions that are settled together are not kept by number',
    isOfPlainRuns: true,
    right: 'finished[#finished + 1] = id',
    wrong: '',
  },
  {
    name: 'completed runs are not counted',
    right: `if completed ~= 0 then call('HINCRBY', META, ${letter('completed')}, completed) end`,
    wrong: '',
  },
  {
    name: 'no stall check: a cleaner settles a run whose lease has not expired',
    right: `if ${hasMode('mode', 'onlyIfExpired')} and isAlive(id) then return ${answer('settle', 'fenced')} end`,
    wrong: '',
  },
  {
    name: 'a repeated settlement is answered as another outcome',
    right: `return isSettledBy(old, by) and ${answer('settle', 'already')} or ${answer('settle', 'fenced')} end`,
    wrong: `return ${answer('settle', 'fenced')} end`,
  },
  {
    name: 'a repeated claim claims again, and charges again',
    right: 'if known[2] then',
    wrong: 'if false then',
  },
  {
    name: 'an epoch is charged twice',
    right: 'tonumber(text) + 1)',
    wrong: 'tonumber(text) + 2)',
  },
  {
    name: 'a push to the front is lost',
    right: "  many('ZADD', FRONT, members)",
    wrong: '',
  },
  {
    name: 'a released run goes to the back',
    right: `if ${isIn('record', 'submitted')} and ${hasMode('mode', 'release')} then`,
    wrong: 'if false then',
  },
  {
    name: 'a lease shrinks',
    right: "call('ZADD', LEASES, 'GT', unpack(",
    wrong: "call('ZADD', LEASES, unpack(",
  },
  {
    name: 'the schedule is early',
    right: "until_ = tag .. '\\0' .. dueText(now + 1)",
    wrong: "until_ = tag .. '\\0' .. dueText(now + 31)",
  },
  {
    name: 'a completed run forgets the stack of its last error',
    right: `(hasStack(old) and ${flagsAs('hasStack')} or ${flagsAs()})`,
    wrong: flagsAs(),
  },
  {
    name: 'a slot is not freed',
    right: `if ${has('flags', 'takesSlot')} then record = keepOrFreeSlot(id, record) end`,
    wrong: '',
  },
  {
    name: 'a free slot returns no run to its lane',
    right: '  changeSlots(key, -1)\n  unparkNext(key)',
    wrong: '  changeSlots(key, -1)',
  },
  {
    name: 'a cancel request is not applied',
    right: 'record = applyCancelRequest(flags, dueAfter(record, dueInMs))',
    wrong: 'record = dueAfter(record, dueInMs)',
  },
  {
    name: 'a cancelled run is not counted as cancelled in its lane',
    right: "call('HINCRBY', CANCELLED_IN_LANE, lane .. '\\0' .. id, 1)",
    wrong: '',
  },
  {
    name: 'a settled run keeps its lease',
    right: "many('ZREM', LEASES, settledIds)",
    wrong: '',
  },
  {
    name: 'the limit of a key counts one too many',
    right: 'slotsTakenOf(key) < tonumber(limit) then',
    wrong: 'slotsTakenOf(key) <= tonumber(limit) then',
  },
  {
    name: 'a delay of a settlement counts by the clock of the worker',
    right: `if delayMs < 0 or ${isNotIn('record', 'scheduled')} then return record end`,
    wrong: 'if true then return record end',
  },
  {
    name: 'a result that was collected is kept twice',
    right: "  many('ZREM', AWAITED, ids)\n",
    wrong: '',
  },
  {
    name: 'runs of other lanes are found expired',
    right: "(isWanted[laneHash] or false) == (mode == 'only')",
    wrong: 'true',
  },
  {
    name: 'a cancel request is found for an ended lease',
    right: `${isIn('record', 'started')} and epochOf(record) == leases[index * 2]`,
    wrong: `${isIn('record', 'started')}`,
  },
  {
    name: 'a submit of one run does not know that its id exists',
    right: "if redis.pcall('HSETNX', BODY, ARGV[4], NOW .. ARGV[5]) ~= 1 then break end",
    wrong: "call('HSET', BODY, ARGV[4], NOW .. ARGV[5])",
  },
  {
    name: 'a submit of several runs does not know that an id exists',
    right: 'areNew = areNew and not known[index]',
    wrong: 'areNew = true',
  },
  {
    name: 'a submit creates a run twice whose id comes twice in one call',
    right: 'if known[index] or seen[id] then return true end',
    wrong: 'if known[index] then return true end',
  },
  {
    name: 'a submit of several runs does not notice that an id comes twice',
    right: "if call('HSET', BODY, unpack(bodies)) < count then",
    wrong: "if call('HSET', BODY, unpack(bodies)) < 0 then",
  },
  {
    name: 'an id that came twice in one call stays in its lane twice',
    right: "call('LTRIM', LANE, 0, -count - 1)",
    wrong: '',
  },
  {
    name: 'a submit leaves the ids of cancelled runs before the new ones',
    right: "if call('EXISTS', CANCELLED_IN_LANE, AWAITED, NAMES) > 0 then break end",
    wrong: '',
  },
  {
    name: 'a submit does not count the runs that it creates',
    right: "call('HINCRBY', META, 'created', count)",
    wrong: '',
  },
  {
    name: 'a settlement that is not accepted submits its run',
    right: `if sub(answers, index, index) == ${answer('settle', 'ok')} then`,
    wrong: 'if true then',
  },
  {
    name: 'a settlement submits a run that is due later for now',
    right: 'request.dues[index * 2 - 1], request.dues[index * 2]\n',
    wrong: '0, 0\n',
  },
  {
    name: 'a settlement submits into the lane of its own run',
    right: 'ownLanes[position] = request.lanes[index]',
    wrong: 'ownLanes[position] = 1',
  },
];
