import { FIRST_START, FLAGS, flagText, RECORD } from '../../packages/redis-queue/src/record/layout.ts';
import {
  answer,
  byteOf,
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
}

/** One mistake for each law that the scripts keep. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'no fence: a settlement of any epoch is accepted',
    right: `if ${isNotIn('old', 'started')} or epochOf(old) ~= epoch then return`,
    wrong: `if ${isNotIn('old', 'started')} then return`,
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
    right: "if many('ZREM', LEASES, ids) < #ids then return false end",
    wrong: '',
  },
  {
    name: 'a first completion that comes twice in one call counts twice',
    right: "if many('ZREM', LEASES, ids) < #ids then return false end",
    wrong: "many('ZREM', LEASES, ids)",
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
    right: 'if known then\n',
    wrong: 'if known and false then\n',
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
    right: `if ${has('flags', 'takesSlot')} then freeSlot(id) end`,
    wrong: '',
  },
  {
    name: 'a free slot returns no run to its lane',
    right: '  changeSlots(key, -1)\n  unparkNext(key)',
    wrong: '  changeSlots(key, -1)',
  },
  {
    name: 'a cancel request is not applied',
    right: 'moveRun(id, applyCancelRequest(flags, dueAfter(record, dueInMs)), mode',
    wrong: 'moveRun(id, dueAfter(record, dueInMs), mode',
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
    right: 'if slotsTakenOf(key) < tonumber(limit) then',
    wrong: 'if slotsTakenOf(key) <= tonumber(limit) then',
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
];
