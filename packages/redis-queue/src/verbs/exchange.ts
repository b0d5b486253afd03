import type {
  Claim,
  ClaimedRun,
  ExchangeReply,
  ExchangeRequest,
  Run,
  SettleAnswer,
  Settlement,
} from '@retry/core/broker';
import { refuseUnsettled, settlementBytes } from '@retry/core/broker/kit';
import { chunksOf } from '../driver/chunks.ts';
import type { Argument } from '../driver/redis-link.ts';
import { readAnswers } from '../record/answers.ts';
import { textReader } from '../record/apart.ts';
import { hasPayloadApart } from '../record/body.ts';
import type { KeptTexts } from '../record/decode-record.ts';
import { decodeFirstStart, decodeRun } from '../record/decode-record.ts';
import { BODY_KINDS, hasFlag } from '../record/layout.ts';
import { CLAIM, CLAIM_LANE, CLAIMED, EXCHANGE, NO_LANE_LIMIT } from '../record/requests.ts';
import { inOrderOf, packOthers, packSettlements } from '../record/settlements.ts';
import { UnreadableError } from '../record/unreadable.ts';
import { settleAndClaimScript } from '../scripts/lua-code.ts';
import { toTag } from '../store/keys.ts';
import { laneHash } from '../store/lane-hash.ts';
import type { LaneList, Store } from '../store/store.ts';
import { createLaneList, runScript } from '../store/store.ts';
import { readPayloads } from './payloads/read-payloads.ts';
import { quarantine } from './quarantine.ts';
import { groupBySubmit, isSubmitting } from './settle/group-by-submit.ts';
import { settleAndSubmit } from './settle/settle-and-submit.ts';

/** The most runs of one claim: exact in Lua, and far more than one reply carries. */
const MAX_CLAIMED = 1_000_000;

type Texts = readonly (string | null)[];

/** What a claim got; the names are those of `CLAIMED`. */
interface Claimed {
  /** The reply's `now`, except for a claim that was sent again. */
  readonly startedAt: number;
  readonly leaseUntil: number;
  readonly ids: readonly string[];
  readonly bodies: Texts;
  readonly overLimit?: readonly number[];
  readonly restarted?: readonly number[];
  readonly records?: readonly string[];
  readonly stacks?: Texts;
  readonly probes?: readonly number[];
}

type Reply = readonly [now: number, answers: string, nextRunAt: number, ...claimed: readonly unknown[]];

/** How many values of a reply are before those of the claim. */
const REPLIED = 3;

/** Settles finished claims, then makes new ones. */
export type Exchange = (request: ExchangeRequest) => Promise<ExchangeReply>;

/** Creates a `exchange`; it makes several calls where the settlements do not fit into one. */
export function createExchange(store: Store): Exchange {
  return async ({ settle = [], claim }) => {
    refuseUnsettled(settle);
    const chunks = groupBySubmit(settle).flatMap((group) => chunksOf(group, settlementBytes));
    const settled: SettleAnswer[] = [];
    for (const chunk of chunks.slice(0, -1)) settled.push(...(await exchangeGroup(store, chunk)).settled);
    const last = chunks.at(-1) ?? [];
    const reply = await exchangeGroup(store, last, claim);
    return settled.length === 0 ? reply : { ...reply, settled: [...settled, ...reply.settled] };
  };
}

function exchangeGroup(store: Store, settle: readonly Settlement[], claim?: Claim): Promise<ExchangeReply> {
  return isSubmitting(settle[0])
    ? exchangeSubmitting(store, settle, claim)
    : exchangeChunk(store, settle, claim);
}

async function exchangeSubmitting(
  store: Store,
  settle: readonly Settlement[],
  claim?: Claim,
): Promise<ExchangeReply> {
  const settled = await settleAndSubmit(store, settle);
  if (claim === undefined) return { claimed: [], ...settled };
  return { ...(await exchangeChunk(store, [], claim)), settled: settled.settled };
}

async function exchangeChunk(
  store: Store,
  settle: readonly Settlement[],
  claim?: Claim,
): Promise<ExchangeReply> {
  const lanes = createLaneList();
  // The script finds the lanes of the claim by their place.
  for (const lane of claim?.lanes.keys() ?? []) lanes.numberOf(lane);
  const claimLanes = lanes.tags.length;
  const packed = packSettlements(settle, lanes);
  const { firsts, moves, movesLane, others, isFirst } = packed;
  const values: Readonly<Record<(typeof EXCHANGE)[number], Argument>> = {
    keepCompleted: store.retention[0],
    keepKeysMs: store.retention[1],
    firsts: `${firsts.ids.length}`,
    moves: `${moves.ids.length}`,
    movesLane: movesLane === undefined ? '' : `${lanes.numberOf(movesLane)}`,
    movesHash: movesLane === undefined ? '' : laneHash(toTag(movesLane)),
    claimLanes: claim === undefined ? '-1' : `${claimLanes}`,
    others: others.length === 0 ? '' : packOthers(lanes, packed),
  };
  // Loops, because most exchanges carry one run or a few.
  const args: Argument[] = [];
  for (const name of EXCHANGE) args.push(values[name]);
  for (const plain of [firsts.ids, moves.ids, firsts.records, moves.records]) {
    for (const text of plain) args.push(text);
  }
  if (claim !== undefined) addClaim(args, claim, lanes);
  for (const text of packed.texts) args.push(text);
  const reply = await runScript(store, settleAndClaimScript, args, lanes.tags);
  return readReply(store, reply as Reply, isFirst); // what our own script returns
}

async function readReply(store: Store, reply: Reply, isFirst: readonly boolean[]): Promise<ExchangeReply> {
  const [now, letters, nextRunAt] = reply;
  const claimed = reply.length === REPLIED ? [] : await readClaim(store, namedClaim(reply.slice(REPLIED)));
  const answers = { settled: readAnswers('settle', inOrderOf(isFirst, letters)), claimed, now };
  return nextRunAt < 0 ? answers : { ...answers, nextRunAt };
}

function addClaim(args: Argument[], claim: Claim, { tags }: LaneList): void {
  const values: Readonly<Record<(typeof CLAIM)[number], string>> = {
    worker: toTag(claim.worker),
    request: toTag(claim.requestId),
    limit: countOf(claim.limit),
    leaseMs: `${claim.leaseMs}`,
    concurrency: claim.concurrency === undefined ? '' : laneLimits(claim, claim.concurrency),
    dueLimits: claim.dueLimits === undefined ? '' : dueLimits(claim, claim.dueLimits),
  };
  for (const name of CLAIM) args.push(values[name]);
  let index = 0;
  for (const room of claim.lanes.values()) {
    const lane: Readonly<Record<(typeof CLAIM_LANE)[number], string>> = {
      limit: countOf(room),
      hash: laneHash(tags[index++] ?? ''),
    };
    for (const name of CLAIM_LANE) args.push(lane[name]);
  }
}

/** Returns the limits of the lanes in their order; empty if none of them has one. */
function laneLimits({ lanes }: Claim, limits: NonNullable<Claim['concurrency']>): string {
  return limitTexts(lanes, (lane) => {
    const ofLane = limits.get(lane);
    return ofLane && `${BODY_KINDS[ofLane.whenFull].plain}${ofLane.limit}`;
  });
}

function dueLimits({ lanes }: Claim, limits: NonNullable<Claim['dueLimits']>): string {
  return limitTexts(lanes, (lane) => {
    const ofLane = limits.get(lane);
    return ofLane === undefined ? undefined : countOf(ofLane);
  });
}

function limitTexts(lanes: Claim['lanes'], textOf: (lane: string) => string | undefined): string {
  const texts = [...lanes.keys()].map((lane) => textOf(lane) ?? NO_LANE_LIMIT);
  return texts.every((text) => text === NO_LANE_LIMIT) ? '' : texts.join(' ');
}

function namedClaim(values: readonly unknown[]): Claimed {
  const named: Partial<Record<keyof Claimed, unknown>> = {};
  // Not Object.fromEntries, which takes as long as reading the run of a small claim.
  for (let index = 0; index < values.length; index += 1) {
    const name = CLAIMED[index];
    if (name !== undefined) named[name] = values[index];
  }
  return named as unknown as Claimed; // what our own script returns, in this order
}

function countOf(limit: number): string {
  return `${Math.max(0, Math.min(Math.floor(limit), MAX_CLAIMED))}`;
}

/** Returns what a claim got, with the payloads that are kept apart, without the runs that cannot be read. */
async function readClaim(store: Store, got: Claimed): Promise<readonly ClaimedRun[]> {
  const large = got.ids.filter((_, index) => hasPayloadApart(got.bodies[index] ?? ''));
  const payloads = large.length === 0 ? NO_PAYLOADS : await readPayloads(store, large);
  const { claimed, unreadable } = readClaimed(got, payloads);
  if (unreadable.length > 0) await quarantine(store, unreadable);
  return claimed;
}

const NO_PAYLOADS: ReadonlyMap<string, string> = new Map();

/** Claimed runs, and the ids of those that were started but cannot be read. */
interface ReadClaim {
  readonly claimed: ClaimedRun[];
  readonly unreadable: string[];
}

function readClaimed(got: Claimed, payloads: ReadonlyMap<string, string>): ReadClaim {
  const { startedAt, leaseUntil, restarted = [], records = [], overLimit = [], probes = [] } = got;
  const nextStack = textReader(got.stacks ?? []);
  const read: ReadClaim = { claimed: [], unreadable: [] };
  const isOverLimit = new Set(overLimit);
  let next = 0;
  for (let index = 0; index < got.ids.length; index += 1) {
    const id = got.ids[index] ?? '';
    const body = got.bodies[index];
    const record = restarted[next] === index + 1 ? (records[next++] ?? null) : null;
    const stack = record !== null && hasFlag(record, 'hasStack') ? nextStack() : undefined;
    // Forgotten since it was claimed: it could not be settled any more.
    if (body === null || body === undefined) continue;
    const run = decodeClaimed(id, { body, record, stack, payload: payloads.get(id), startedAt });
    if (run === undefined) read.unreadable.push(id);
    else read.claimed.push(claimedRun(run, { leaseUntil, isOverLimit, probes }, index + 1));
  }
  return read;
}

/** What a claim got beside runs: numbers counted from 1. */
interface Marks extends Pick<Claimed, 'leaseUntil'> {
  readonly isOverLimit: ReadonlySet<number>;
  readonly probes: readonly number[];
}

/** A run is a probe in few claims, so that most have no key for it. */
function claimedRun(
  run: Run<'started'>,
  { leaseUntil, isOverLimit, probes }: Marks,
  number: number,
): ClaimedRun {
  const claimed = { run, leaseUntil, isOverLimit: isOverLimit.has(number) };
  return probes.includes(number) ? { ...claimed, isProbe: true } : claimed;
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
