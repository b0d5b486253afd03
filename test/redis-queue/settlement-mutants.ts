import { luaText } from '../support/lua-text.ts';
import { claimReleased } from '../support/telling-scenes/claims.ts';
import { settleAfterCancelRequest, stallTooEarly } from '../support/telling-scenes/leases.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import {
  collectResult,
  completeAfterStack,
  completeFirstStarts,
  completeLaterStarts,
  settleEarlierStart,
  settleTwice,
  settleWithDelay,
  submitBySettlement,
} from '../support/telling-scenes/settlements.ts';

/** Mistakes in settlements, and in what becomes of ended runs. */
export const SETTLEMENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'no fence: a settlement of any epoch is accepted',
    right: `if ${luaText('isNotIn(old, State.started)')} or epochOf(old) ~= epoch then return`,
    wrong: `if ${luaText('isNotIn(old, State.started)')} then return`,
    scene: settleEarlierStart,
  },
  {
    name: 'a repeated first completion is fenced',
    right: `return ${luaText('isIn(record, State.completed)')} and by == FIRST_BY`,
    wrong: 'return false',
    scene: settleTwice,
  },
  {
    name: 'a first completion keeps its lease',
    right: "call('ZREM', LEASES, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + settledCount))",
    wrong: "call('HDEL', CANCELLED_IN_LANE, '')",
    scene: completeFirstStarts,
  },
  {
    name: 'a first completion is accepted whatever its run is',
    right: `if not old or ${luaText('fieldsOf(old, Record.state, Record.flags)')} ~= ${luaText('State.started .. flagText(Flag.short)')} then`,
    wrong: 'if not old then',
    scene: settleEarlierStart,
  },
  {
    name: 'a plain move of any epoch is accepted',
    right: ') == heads[epoch] then',
    wrong: ") ~= '' then",
    scene: settleEarlierStart,
  },
  {
    name: 'a plain move keeps its lease',
    right: "call('ZREM', LEASES, unpack(ARGV, FIRSTS_AT + 1, FIRSTS_AT + plainCount))",
    wrong: '',
    scene: completeLaterStarts,
  },
  {
    name: 'runs that go back to their lane together are in no lane',
    right:
      "if #pushed > 0 and many('RPUSH', KEYS[FIXED + lane], pushed) == #pushed then wake(tagOf(lane)) end",
    wrong: '',
    scene: completeLaterStarts,
  },
  {
    name: 'later completions that are settled together are not kept by number',
    right: 'finished[#finished + 1] = id',
    wrong: '',
    scene: completeLaterStarts,
  },
  {
    name: 'completed runs are not counted',
    right: `if completed ~= 0 then call('HINCRBY', META, ${luaText('State.completed')}, completed) end`,
    wrong: '',
    scene: completeFirstStarts,
  },
  {
    name: 'no stall check: a cleaner settles a run whose lease has not expired',
    right: `if ${luaText('has(mode, Mode.onlyIfExpired)')} and isAlive(id) then return ${luaText('Answer.settle.fenced')} end`,
    wrong: '',
    scene: stallTooEarly,
  },
  {
    name: 'a repeated settlement is answered as another outcome',
    right: `return isSettledBy(old, by) and ${luaText('Answer.settle.already')} or ${luaText('Answer.settle.fenced')} end`,
    wrong: `return ${luaText('Answer.settle.fenced')} end`,
  },
  {
    name: 'a push to the front is lost',
    right: "  many('ZADD', FRONT, members)",
    wrong: '',
    scene: claimReleased,
  },
  {
    name: 'a released run goes to the back',
    right: `if ${luaText('isIn(record, State.submitted)')} and ${luaText('has(mode, Mode.release)')} then`,
    wrong: 'if false then',
    scene: claimReleased,
  },
  {
    name: 'a completed run forgets the stack of its last error',
    right: `(hasStack(old) and ${luaText('flagText(Flag.hasStack)')} or ${luaText('flagText(0)')})`,
    wrong: luaText('flagText(0)'),
    scene: completeAfterStack,
  },
  {
    name: 'a cancel request is not applied',
    right: `record = applyCancelRequest(flags, dueAfter(record, ${luaText('batch[at + Settlement.dueInMs]')}))`,
    wrong: `record = dueAfter(record, ${luaText('batch[at + Settlement.dueInMs]')})`,
    scene: settleAfterCancelRequest,
  },
  {
    name: 'a settled run keeps its lease',
    right: "many('ZREM', LEASES, settledIds)",
    wrong: '',
  },
  {
    name: 'a delay of a settlement counts by the clock of the worker',
    right: `if delayMs < 0 or ${luaText('isNotIn(record, State.scheduled)')} then return record end`,
    wrong: 'if true then return record end',
    scene: settleWithDelay,
  },
  {
    name: 'a result that was collected is kept twice',
    right: "  many('ZREM', AWAITED, ids)\n",
    wrong: '',
    scene: collectResult,
  },
  {
    name: 'a settlement that is not accepted submits its run',
    right: `if sub(answers, index, index) == ${luaText('Answer.settle.ok')} then`,
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
    scene: submitBySettlement,
  },
];
