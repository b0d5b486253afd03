import type {
  Claim,
  ClaimedRun,
  ExchangeReply,
  ExchangeRequest,
  Run,
  SettleAnswer,
  Settlement,
} from '@retry/core/broker';
import { unsettledError } from '@retry/core/broker';
import { readAnswers } from '../record/answers.ts';
import { hasPayloadApart, UnreadableError } from '../record/body.ts';
import type { KeptTexts } from '../record/decode-record.ts';
import { decodeFirstStart, decodeRun } from '../record/decode-record.ts';
import { hasFlag } from '../record/layout.ts';
import { textReader } from '../record/stack.ts';
import { exchangeScript } from '../scripts/settle-and-claim.ts';
import { toTag } from '../store/keys.ts';
import type { Packed } from '../store/pack.ts';
import { pack } from '../store/pack.ts';
import type { LaneList, Store } from '../store/store.ts';
import { createLaneList, runScript } from '../store/store.ts';
import { setAside } from './set-aside.ts';
import { inOrderOf, inParts, tellSettlements } from './settlements.ts';

/** More than a script should hand out at a time, and an exact number in its Lua. */
const MOST_CLAIMED = 1_000_000;

type Texts = readonly (string | null)[];

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
  bodies: Texts,
  /** The places, counted from 1, of the runs that do not start for the first time: they have records. */
  places: readonly number[],
  records: readonly string[],
  stacks: Texts,
  payloads: Texts,
];

/** Settles finished claims, then makes new ones; in several calls where the settlements are too long for one. */
export async function exchangeRuns(store: Store, request: ExchangeRequest): Promise<ExchangeReply> {
  const { settle = [], claim } = request;
  for (const { id, next } of settle) refuseUnsettled(id, next);
  const parts = inParts(settle);
  const settled: SettleAnswer[] = [];
  for (const part of parts.slice(0, -1)) settled.push(...(await exchangePart(store, part)).settled);
  const reply = await exchangePart(store, parts.at(-1) ?? [], claim);
  return settled.length === 0 ? reply : { ...reply, settled: [...settled, ...reply.settled] };
}

async function exchangePart(
  store: Store,
  settle: readonly Settlement[],
  claim?: Claim,
): Promise<ExchangeReply> {
  const lanes = createLaneList();
  const told = tellSettlements(settle, lanes);
  const wanted = claim === undefined ? [] : packClaim(claim, lanes);
  const packed = pack([lanes.tags, told.firsts, told.others, wanted]);
  const args = [...store.retention, packed, ...told.texts];
  const reply = (await runScript(store, exchangeScript, args, lanes.tags)) as Reply; // what our own script returns
  const [now, letters, nextRunAt] = reply;
  const { claimed, unreadable } = readClaimed(reply);
  if (unreadable.length > 0) await setAside(store, unreadable);
  const answers = { settled: readAnswers('settle', inOrderOf(told.isFirst, letters)), claimed, now };
  return nextRunAt < 0 ? answers : { ...answers, nextRunAt };
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

/** Claimed runs, and the ids of those that were started but are none that can be read. */
interface ReadClaim {
  readonly claimed: ClaimedRun[];
  readonly unreadable: string[];
}

function readClaimed(reply: Reply): ReadClaim {
  const [, , , startedAt, leaseUntil, over, ids, bodies, places, records, stacks, payloads] = reply;
  const nextStack = textReader(stacks);
  const nextPayload = textReader(payloads);
  const read: ReadClaim = { claimed: [], unreadable: [] };
  const isOver = new Set(over);
  let next = 0;
  for (const [index, id] of ids.entries()) {
    const body = bodies[index];
    const record = places[next] === index + 1 ? (records[next++] ?? null) : null;
    const stack = record !== null && hasFlag(record, 'hasStack') ? nextStack() : undefined;
    // Forgotten since it was handed out: nobody could settle it any more.
    if (body === null || body === undefined) continue;
    const payload = hasPayloadApart(body) ? nextPayload() : undefined;
    const run = decodeClaimed(id, { body, record, stack, payload, startedAt });
    if (run === undefined) read.unreadable.push(id);
    else read.claimed.push({ run, leaseUntil, isOverLimit: isOver.has(index + 1) });
  }
  return read;
}

interface ClaimedTexts extends KeptTexts {
  readonly startedAt: number;
}

function decodeClaimed(id: string, texts: ClaimedTexts): Run<'started'> | undefined {
  try {
    const { body, record } = texts;
    const run = record === null ? decodeFirstStart(id, body, texts) : decodeRun(id, texts);
    return run as Run<'started'>; // claimed runs are started
  } catch (error) {
    if (error instanceof UnreadableError) return undefined;
    throw error;
  }
}
