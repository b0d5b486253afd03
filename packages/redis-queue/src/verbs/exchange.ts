import type {
  Claim,
  ClaimedRun,
  ExchangeReply,
  ExchangeRequest,
  Run,
  SettleAnswer,
  Settlement,
} from '@retry/core/broker';
import { inBatches, readAnswers, refuseUnsettled, settlementBytes } from '@retry/core/broker/kit';
import type { Argument } from '../driver/redis-link.ts';
import { changedReply } from '../errors.ts';
import { textReader } from '../record/apart.ts';
import { duesOf, encodeSubmissions, hasPayloadApart, UnreadableError } from '../record/body.ts';
import { APART_TEXTS, BODY_KINDS, hasFlag } from '../record/layout.ts';
import type { KeptTexts } from '../record/record.ts';
import { decodeFirstStart, decodeRun } from '../record/record.ts';
import { CLAIM, CLAIM_LANE, CLAIMED, EXCHANGE, NO_LANE_LIMIT } from '../record/requests.ts';
import type { PackedSettlements } from '../record/settlements.ts';
import {
  groupBySubmit,
  inOrderOf,
  isSubmitting,
  packOneByOne,
  packOthers,
  packSettlements,
} from '../record/settlements.ts';
import { quarantineScript, settleAndClaimScript, settleAndSubmitScript } from '../scripts/lua-code.ts';
import { toTag } from '../store/keys.ts';
import { pack } from '../store/pack.ts';
import type { LaneList, Store } from '../store/store.ts';
import { createLaneList, laneHash, runListScript, runScript } from '../store/store.ts';

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

/** Settles finished claims, then makes new ones, in several calls where the settlements do not fit into one. */
export function exchange(store: Store, { settle = [], claim }: ExchangeRequest): Promise<ExchangeReply> {
  refuseUnsettled(settle);
  // Most exchanges settle one run, or none.
  return settle.length <= 1 ? exchangeChunk(store, settle, claim) : exchangeChunks(store, settle, claim);
}

async function exchangeChunks(
  store: Store,
  settle: readonly Settlement[],
  claim: Claim | undefined,
): Promise<ExchangeReply> {
  const chunks = groupBySubmit(settle).flatMap((group) => inBatches(group, { bytesOf: settlementBytes }));
  const settled: SettleAnswer[] = [];
  for (const chunk of chunks.slice(0, -1)) settled.push(...(await exchangeChunk(store, chunk)).settled);
  const reply = await exchangeChunk(store, chunks.at(-1) ?? [], claim);
  return settled.length === 0 ? reply : { ...reply, settled: [...settled, ...reply.settled] };
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
  if (isSubmitting(settle[0])) return exchangeSubmitting(store, settle, claim);
  const lanes = createLaneList();
  // The script finds the lanes of the claim by their place.
  for (const lane of claim?.lanes.keys() ?? []) lanes.numberOf(lane);
  const packed = packSettlements(settle, lanes);
  const args = exchangeArguments(store, { packed, claim, lanes });
  const reply = await runScript(store, settleAndClaimScript, args, lanes.tags);
  const [now, letters, nextRunAt, ...got] = reply as Reply; // what our own script returns
  const claimed = got.length === 0 ? [] : await readClaim(store, namedClaim(got));
  const settled = readAnswers('settle', inOrderOf(packed.isFirst, letters), changedReply);
  return nextRunAt < 0 ? { settled, claimed, now } : { settled, claimed, now, nextRunAt };
}

interface Chunk {
  readonly packed: PackedSettlements;
  readonly claim: Claim | undefined;
  readonly lanes: LaneList;
}

function exchangeArguments({ retention }: Store, { packed, claim, lanes }: Chunk): readonly Argument[] {
  const { firsts, moves, movesLane, others, texts } = packed;
  const moved = movesLane === undefined ? 0 : lanes.numberOf(movesLane);
  const values: Readonly<Record<(typeof EXCHANGE)[number], Argument>> = {
    keepCompleted: retention[0],
    keepKeysMs: retention[1],
    firsts: `${firsts.ids.length}`,
    moves: `${moves.ids.length}`,
    movesLane: moved === 0 ? '' : `${moved}`,
    movesHash: moved === 0 ? '' : laneHash(lanes.tags[moved - 1] ?? ''),
    claimLanes: claim === undefined ? '-1' : `${claim.lanes.size}`,
    others: others.length === 0 ? '' : packOthers(lanes, packed),
  };
  // Loops, because most exchanges carry one run or a few.
  const args: Argument[] = [];
  for (const name of EXCHANGE) args.push(values[name]);
  for (const plain of [firsts.ids, moves.ids, firsts.records, moves.records]) {
    for (const text of plain) args.push(text);
  }
  if (claim !== undefined) addClaim(args, claim, lanes);
  for (const text of texts) args.push(text);
  return args;
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
    if (record === null) return decodeFirstStart(id, body, texts) as Run<'started'>; // as it is then
    // Other readers leave payloads out, or find them deleted by retention.
    if (texts.payload === undefined && hasPayloadApart(body)) return undefined;
    return decodeRun(id, texts) as Run<'started'>; // claimed runs are started
  } catch (error) {
    if (error instanceof UnreadableError) return undefined;
    throw error;
  }
}

/** Settles runs each of which submits another one, in one script: settlements are rarely of this kind. */
async function settleAndSubmit(
  store: Store,
  settle: readonly Settlement[],
): Promise<Pick<ExchangeReply, 'settled' | 'now'>> {
  const submissions = settle.flatMap(({ submit }) => submit ?? []);
  const lanes = createLaneList();
  const packed = packOneByOne(settle, lanes);
  const numbers = submissions.map(({ lane }) => lanes.numberOf(lane));
  const exchange: Readonly<Record<(typeof EXCHANGE)[number], Argument>> = {
    keepCompleted: store.retention[0],
    keepKeysMs: store.retention[1],
    firsts: '0',
    moves: '0',
    movesLane: '',
    movesHash: '',
    claimLanes: '-1',
    others: packOthers(lanes, packed),
  };
  const first: readonly Argument[] = [...EXCHANGE.map((name) => exchange[name]), ...packed.texts];
  const request = pack([lanes.tags, numbers, duesOf(submissions)]);
  const args = [...first, request, ...encodeSubmissions(submissions), `${first.length + 1}`];
  const reply = await runListScript(store, settleAndSubmitScript, args, lanes.tags);
  const [now, letters] = reply as readonly [now: number, letters: string]; // what our own script returns
  return { settled: readAnswers('settle', letters, changedReply), now };
}

/**
 * Reads payloads that are kept apart by a plain command: in a script each of them would be copied and hashed several times. Those
 * that were forgotten meanwhile are missing.
 */
async function readPayloads(
  { link, keys }: Pick<Store, 'link' | 'keys'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const fields = ids.map((id) => APART_TEXTS.payload + id);
  const texts = await link.send(keys.of.body, ['HMGET', keys.of.large, ...fields]);
  const payloads = new Map<string, string>();
  for (const [index, text] of (texts as readonly (string | null)[]).entries())
    if (text !== null) payloads.set(ids[index] ?? '', text);
  return payloads;
}

/** Makes dead letters of started runs that could not be read, so that no claim gets them again. */
export async function quarantine(store: Store, ids: readonly string[]): Promise<void> {
  await runScript(store, quarantineScript, [...store.retention, pack(ids), 'its body or its record']);
}
