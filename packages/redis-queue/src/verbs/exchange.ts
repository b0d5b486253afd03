import type {
  Claim,
  ClaimedRun,
  ExchangeReply,
  ExchangeRequest,
  Run,
  SettleAnswer,
} from '@retry/core/broker';
import { unsettledError } from '@retry/core/broker';
import { toTag } from '../keys.ts';
import type { Packed } from '../pack.ts';
import { pack } from '../pack.ts';
import { decodeFirstStart, decodeRun } from '../record.ts';
import { exchangeScript } from '../scripts/exchange.ts';
import { stackReader } from '../stack.ts';
import type { LaneList, Store } from '../store.ts';
import { createLaneList, runScript } from '../store.ts';
import { readAnswers } from './answers.ts';
import { inOrderOf, tellSettlements } from './settlements.ts';

const WORDS: Readonly<Record<string, SettleAnswer>> = { o: 'ok', a: 'already', f: 'fenced', g: 'gone' };

/** More than a script should hand out at a time, and an exact number in its Lua. */
const MOST_CLAIMED = 1_000_000;

/** What the script answers. */
type Reply = readonly [
  now: number,
  settled: string,
  nextRunAt: number,
  /** When the claimed runs started: now, but for a claim that is asked for again. */
  startedAt: number,
  leaseUntil: number,
  over: readonly number[],
  ids: readonly string[],
  bodies: readonly (string | null)[],
  /** The places, counted from 1, of the runs that do not start for the first time: they have records. */
  places: readonly number[],
  records: readonly string[],
  stacks: readonly string[],
];

/** Settles finished claims, then makes new ones. */
export async function exchangeRuns(store: Store, request: ExchangeRequest): Promise<ExchangeReply> {
  const { settle = [], claim } = request;
  for (const { id, next } of settle) refuseUnsettled(id, next);
  const lanes = createLaneList();
  const told = tellSettlements(settle, lanes);
  const wanted = claim === undefined ? [] : packClaim(claim, lanes);
  const packed = pack([lanes.tags, told.firsts, told.others, wanted]);
  const reply = await runScript(store, exchangeScript, [store.keep, packed, ...told.stacks], lanes.tags);
  return readReply(reply as Reply, told.isFirst); // what our own script returns
}

function refuseUnsettled(id: string, { state }: Run): void {
  if (state === 'started' || state === 'unsubmitted') throw unsettledError(id, state);
}

function packClaim({ worker, requestId, limit, leaseMs, lanes: asked }: Claim, lanes: LaneList): Packed[] {
  const limits = [...asked].flatMap(([lane, most]) => [lanes.numberOf(lane), countOf(most)]);
  return [toTag(worker), toTag(requestId), countOf(limit), leaseMs, limits];
}

function countOf(limit: number): number {
  return Math.max(0, Math.min(Math.floor(limit), MOST_CLAIMED));
}

function readReply(reply: Reply, isFirst: readonly boolean[]): ExchangeReply {
  const [now, letters, nextRunAt] = reply;
  const settled = readAnswers(inOrderOf(isFirst, letters), WORDS);
  const answers = { settled, claimed: readClaimed(reply), now };
  return nextRunAt < 0 ? answers : { ...answers, nextRunAt };
}

function readClaimed(reply: Reply): readonly ClaimedRun[] {
  const [, , , startedAt, leaseUntil, over, ids, bodies, places, records, stacks] = reply;
  const stackOf = stackReader(stacks);
  const claimed: ClaimedRun[] = [];
  const isOver = new Set(over);
  let next = 0;
  for (const [index, id] of ids.entries()) {
    const body = bodies[index];
    const record = places[next] === index + 1 ? (records[next++] ?? null) : null;
    const stack = stackOf(record);
    // Forgotten since it was handed out: nobody could settle it any more.
    if (body === null || body === undefined) continue;
    const run = record === null ? decodeFirstStart(id, body, startedAt) : decodeRun(id, body, record, stack);
    claimed.push({ run: run as Run<'started'>, leaseUntil, isOverLimit: isOver.has(index + 1) }); // claimed runs are started
  }
  return claimed;
}
