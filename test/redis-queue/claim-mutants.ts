import { luaText } from '../support/lua-text.ts';
import {
  claimAfterRetry,
  claimInOrder,
  claimReleased,
  claimWhenDue,
} from '../support/telling-scenes/claims.ts';
import {
  findExpiredOfOneLane,
  heartbeatOfEachEpoch,
  settleAfterShortHeartbeat,
} from '../support/telling-scenes/leases.ts';
import type { Mutant } from '../support/telling-scenes/mutant.ts';
import { waitForSlots } from '../support/telling-scenes/slots.ts';

/** Mistakes in claims, and in what leases are for. */
export const CLAIM_MUTANTS: readonly Mutant[] = [
  {
    name: 'no fence on heartbeats',
    right: `if ${luaText('isNotIn(record, State.started)')} or epochOf(record) ~= epoch then return false`,
    wrong: `if ${luaText('isNotIn(record, State.started)')} then return false`,
    scene: heartbeatOfEachEpoch,
  },
  {
    name: 'a heartbeat moves the first start',
    right: `isShort(record) and ${luaText('FirstStart.heartbeatAt.from')} or ${luaText('Record.heartbeatAt.from')}`,
    wrong: `isShort(record) and ${luaText('FirstStart.startedAt.from')} or ${luaText('Record.heartbeatAt.from')}`,
    scene: heartbeatOfEachEpoch,
  },
  {
    name: 'a first start does not record that it takes a slot',
    right: `record = ${luaText('State.started')} .. ${luaText('flagText(Flag.short + bits)')}`,
    wrong: `record = ${luaText('State.started')} .. ${luaText('flagText(Flag.short + bits - bits % (2 * Flag.takesSlot))')}`,
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
    scene: claimInOrder,
  },
  {
    name: 'the usual way does not see runs that are due',
    right: 'dues and dues[lane] <= now and not isClosed,',
    wrong: 'false,',
    scene: claimWhenDue,
  },
  {
    name: 'the usual way passes over the front of a lane',
    right: "isOrdered = call('EXISTS', FRONT, CANCELLED_IN_LANE) == 0",
    wrong: 'isOrdered = true',
    scene: claimReleased,
  },
  {
    name: 'the usual way starts a run again as if for the first time',
    right: 'if records[index] then\n              if not startAgain',
    wrong: 'if false then\n              if not startAgain',
    scene: claimAfterRetry,
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
    name: 'a lease shrinks',
    right: "call('ZADD', LEASES, 'GT', unpack(",
    wrong: "call('ZADD', LEASES, unpack(",
    scene: settleAfterShortHeartbeat,
  },
  {
    name: 'the schedule is early',
    right: "until_ = tag .. '\\0' .. dueText(now + 1)",
    wrong: "until_ = tag .. '\\0' .. dueText(now + 31)",
    scene: claimWhenDue,
  },
  {
    name: 'a slot is not freed',
    right: `if ${luaText('has(flags, Flag.takesSlot)')} then record = keepOrFreeSlot(id, record) end`,
    wrong: '',
  },
  {
    name: 'a free slot returns no run to its lane',
    right: '  changeSlots(key, -1)\n  unparkNext(key)',
    wrong: '  changeSlots(key, -1)',
    scene: waitForSlots,
  },
  {
    name: 'the limit of a key counts one too many',
    right: 'slotsTakenOf(key) >= tonumber(limit)',
    wrong: 'slotsTakenOf(key) > tonumber(limit)',
  },
  {
    name: 'runs of other lanes are found expired',
    right: "(isWanted[laneHash] or false) == (mode == 'only')",
    wrong: 'true',
    scene: findExpiredOfOneLane,
  },
];
