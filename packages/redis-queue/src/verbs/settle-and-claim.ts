import type {
  Claim,
  ClaimedRun,
  ExchangeReply,
  ExchangeRequest,
  Run,
  SettleAnswer,
  Settlement,
} from '@retry/core/broker';
import { refuseUnsettled } from '@retry/core/broker/kit';
import { readAnswers } from '../record/answers.ts';
import { textReader } from '../record/apart.ts';
import { hasPayloadApart } from '../record/body.ts';
import type { KeptTexts } from '../record/decode-record.ts';
import { decodeFirstStart, decodeRun } from '../record/decode-record.ts';
import { CLAIM, CLAIMED, hasFlag } from '../record/layout.ts';
import { inOrderOf, packSettlements, settlementBytes } from '../record/settlements.ts';
import { UnreadableError } from '../record/unreadable.ts';
import { settleAndClaimScript } from '../scripts/settle-and-claim.ts';
import { toTag } from '../store/keys.ts';
import type { Packed } from '../store/pack.ts';
import { pack } from '../store/pack.ts';
import type { LaneList, Store } from '../store/store.ts';
import { createLaneList, runScript } from '../store/store.ts';
import { chunksOf } from './chunks.ts';
import { quarantine } from './quarantine.ts';

/** The most runs of one claim: exact in Lua, and far more than one reply carries. */
const MAX_CLAIMED = 1_000_000;

type Texts = readonly (string | null)[];

/** What a claim got; the names are those of `CLAIMED` in the layout. */
interface Claimed {
  /** The reply's `now`, except for a claim that was sent again. */
  readonly startedAt: number;
  readonly leaseUntil: number;
  readonly overLimit: readonly number[];
  readonly ids: readonly string[];
  readonly bodies: Texts;
  readonly restarted: readonly number[];
  readonly records: readonly string[];
  readonly stacks: Texts;
  readonly payloads: Texts;
}

type Reply = readonly [now: number, answers: string, nextRunAt: number, ...claimed: readonly unknown[]];

/** Settles finished claims, then makes new ones; in several calls where the settlements do not fit into one. */
export async function settleAndClaim(store: Store, request: ExchangeRequest): Promise<ExchangeReply> {
  const { settle = [], claim } = request;
  refuseUnsettled(settle);
  const chunks = chunksOf(settle, settlementBytes);
  const settled: SettleAnswer[] = [];
  for (const chunk of chunks.slice(0, -1)) settled.push(...(await exchangeChunk(store, chunk)).settled);
  const reply = await exchangeChunk(store, chunks.at(-1) ?? [], claim);
  return settled.length === 0 ? reply : { ...reply, settled: [...settled, ...reply.settled] };
}

async function exchangeChunk(
  store: Store,
  settle: readonly Settlement[],
  claim?: Claim,
): Promise<ExchangeReply> {
  const lanes = createLaneList();
  const settlements = packSettlements(settle, lanes);
  const wanted = claim === undefined ? [] : packClaim(claim, lanes);
  const packed = pack([lanes.tags, settlements.firsts, settlements.others, wanted]);
  const args = [...store.retention, packed, ...settlements.texts];
  const reply = await runScript(store, settleAndClaimScript, args, lanes.tags);
  const [now, letters, nextRunAt, ...got] = reply as Reply; // what our own script returns
  const { claimed, unreadable } = readClaimed(namedClaim(got));
  if (unreadable.length > 0) await quarantine(store, unreadable);
  const answers = { settled: readAnswers('settle', inOrderOf(settlements.isFirst, letters)), claimed, now };
  return nextRunAt < 0 ? answers : { ...answers, nextRunAt };
}

function packClaim(claim: Claim, lanes: LaneList): Packed[] {
  const values: Readonly<Record<(typeof CLAIM)[number], Packed>> = {
    worker: toTag(claim.worker),
    request: toTag(claim.requestId),
    limit: countOf(claim.limit),
    leaseMs: claim.leaseMs,
    lanes: [...claim.lanes].flatMap(([lane, limit]) => [lanes.numberOf(lane), countOf(limit)]),
  };
  return CLAIM.map((name) => values[name]);
}

function namedClaim(values: readonly unknown[]): Claimed {
  const named = Object.fromEntries(CLAIMED.map((name, index) => [name, values[index]]));
  return named as unknown as Claimed; // what our own script returns, in this order
}

function countOf(limit: number): number {
  return Math.max(0, Math.min(Math.floor(limit), MAX_CLAIMED));
}

/** Claimed runs, and the ids of those that were started but cannot be read. */
interface ReadClaim {
  readonly claimed: ClaimedRun[];
  readonly unreadable: string[];
}

function readClaimed(got: Claimed): ReadClaim {
  const { startedAt, leaseUntil, restarted } = got;
  const nextStack = textReader(got.stacks);
  const nextPayload = textReader(got.payloads);
  const read: ReadClaim = { claimed: [], unreadable: [] };
  const isOverLimit = new Set(got.overLimit);
  let next = 0;
  for (const [index, id] of got.ids.entries()) {
    const body = got.bodies[index];
    const record = restarted[next] === index + 1 ? (got.records[next++] ?? null) : null;
    const stack = record !== null && hasFlag(record, 'hasStack') ? nextStack() : undefined;
    // Forgotten since it was claimed: it could not be settled any more.
    if (body === null || body === undefined) continue;
    const payload = hasPayloadApart(body) ? nextPayload() : undefined;
    const run = decodeClaimed(id, { body, record, stack, payload, startedAt });
    if (run === undefined) read.unreadable.push(id);
    else read.claimed.push({ run, leaseUntil, isOverLimit: isOverLimit.has(index + 1) });
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
