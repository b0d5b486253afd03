import type { Claim, ExchangeReply, ExchangeRequest, SettleAnswer, Settlement } from '@retry/core/broker';
import type { Database, SqlValue } from '../driver/database.ts';
import { sqlStateOf } from '../driver/refusal.ts';
import type { ClaimedRows } from '../record/claims.ts';
import { readClaims } from '../record/claims.ts';
import { toCount, upToWhole } from '../record/numbers.ts';
import {
  countFinished,
  refuseUnsettled,
  settlementColumns,
  splitSettlements,
} from '../record/settlements.ts';
import { plainArray, textArray } from '../record/text-array.ts';
import type { UnreadableRun } from '../record/unreadable.ts';
import { settleUnreadable } from '../record/unreadable.ts';
import type { ResultWatch } from '../wake/wait-for-result.ts';
import type { WorkWatch } from '../wake/wait-for-work.ts';
import type { Answered, ClaimMemory, Held, Look } from './claim-memory.ts';
import type { Retention } from './retention.ts';

/** What an exchange works with. */
export interface ExchangePort {
  readonly database: Database;
  readonly memory: ClaimMemory;
  readonly retention: Retention;
  readonly watch: WorkWatch;
  readonly results: ResultWatch;
}

/** What the function `exchange` gives. */
interface Answer {
  readonly now: number;
  readonly settled: string;
  /** Lanes that got back runs whose concurrency key is free. */
  readonly lanes: readonly string[];
  /** Lanes where settled runs wait again, those included; and lanes that have more in their schedule. */
  readonly ready: readonly string[];
  readonly later: readonly string[];
  /** Whether a run ended whose result a caller waits for. */
  readonly results: boolean;
  readonly claimed: readonly ClaimedRows[];
  /** When what is left in the schedules of the claimed lanes is due, in their order; absent without a claim. */
  readonly dues?: readonly (number | null)[];
  /** When a concurrency key that another worker was claiming by is to be asked again. */
  readonly busyUntil?: number | null;
  /** Whether the claim got as many bytes as one reply carries, and may have left more. */
  readonly isCut?: boolean;
  readonly trimmed: number | null;
  readonly released?: number;
  readonly isTidy?: boolean;
}

/** The SQLSTATE of a statement that was given up, as a rule because it took too long. */
const CANCELED = '57014';

const ANSWERS: Readonly<Record<string, SettleAnswer>> = { o: 'ok', a: 'already', f: 'fenced', g: 'gone' };

/** Settles and claims in one call; settlements that name one run twice take one more call each. */
export async function exchange(port: ExchangePort, request: ExchangeRequest): Promise<ExchangeReply> {
  const { settle = [], claim } = request;
  refuseUnsettled(settle);
  const parts = splitSettlements(settle);
  const settled: SettleAnswer[] = [];
  let reply: ExchangeReply | undefined;
  for (const [index, part] of parts.entries()) {
    const settlements = part.flatMap((position) => settle[position] ?? []);
    reply = await exchangeInTime(port, settlements, index === parts.length - 1 ? claim : undefined);
    settled.push(...reply.settled);
  }
  return { claimed: [], now: 0, ...reply, settled };
}

/**
 * Where a role's `statement_timeout` is shorter than a statement takes, the same one would take as long again: its
 * settlements go by halves, then the claim by itself, of ever fewer runs.
 */
async function exchangeInTime(
  port: ExchangePort,
  settlements: readonly Settlement[],
  claim: Claim | undefined,
): Promise<ExchangeReply> {
  try {
    return await exchangePart(port, settlements, claim);
  } catch (error) {
    const count = settlements.length;
    const limit = claim?.limit ?? 0;
    if (sqlStateOf(error) !== CANCELED || count + limit <= 1) throw error;
    if (count === 0 && claim !== undefined) {
      return exchangeInTime(port, [], { ...claim, limit: Math.ceil(limit / 2) });
    }
    // The last settlement by itself leaves the second half to the claim.
    const middle = Math.ceil(count / 2);
    const first = await exchangeInTime(port, settlements.slice(0, middle), undefined);
    const second = await exchangeInTime(port, settlements.slice(middle), claim);
    return { ...second, settled: [...first.settled, ...second.settled] };
  }
}

async function exchangePart(
  port: ExchangePort,
  settlements: readonly Settlement[],
  claim: Claim | undefined,
): Promise<ExchangeReply> {
  const { database, memory, retention, watch, results } = port;
  const at = performance.now();
  const look = memory.lookAt(claim?.lanes.keys() ?? [], at);
  const replaced = claim === undefined ? [] : memory.replaces(claim);
  const columns = settlementColumns(settlements, memory.placesOf(settlements));
  const trim = retention.next(countFinished(settlements), at);
  const text = await database.call('exchange', [...columns, ...claimValues(claim, look, replaced), ...trim]);
  const answer = JSON.parse(text ?? '') as Answer; // what our own function builds
  retention.tidied(answer);
  watch.poke(answer);
  if (answer.results) results.wake();
  memory.reset(answer.lanes);
  const { settled, now } = readAnswer(answer);
  memory.settled(settlements, settled);
  if (claim === undefined) return { settled, claimed: [], now };
  remember(memory, claim, { answer, replaced });
  memory.looked(look, { at, until: performance.now(), serverNow: now }, answer.dues ?? []);
  const { claimed, unreadable } = readClaims(answer.claimed);
  if (unreadable.length > 0) await setAside(port, unreadable);
  return { settled, claimed, now, ...nextRunOf(answer) };
}

/** Settles what cannot be read; when that fails, its lease runs out, and the cleaner that finds it then settles it. */
export async function setAside(port: ExchangePort, runs: readonly UnreadableRun[]): Promise<void> {
  await exchange(port, { settle: runs.map(settleUnreadable) }).catch(() => undefined);
}

function nextRunOf({ dues = [], busyUntil = null }: Answer): Pick<ExchangeReply, 'nextRunAt'> {
  const known = [...dues, busyUntil].filter((due) => due !== null);
  return known.length === 0 ? {} : { nextRunAt: Math.min(...known) };
}

/** The answers to settlements, and the clock. */
export function readSettled(text: string | null): {
  readonly settled: readonly SettleAnswer[];
  readonly now: number;
} {
  return readAnswer(JSON.parse(text ?? '') as Answer); // what our own function builds
}

function readAnswer({ settled, now }: Answer): {
  readonly settled: readonly SettleAnswer[];
  readonly now: number;
} {
  return { settled: [...settled].map((letter) => ANSWERS[letter] ?? 'gone'), now };
}

function claimValues(
  claim: Claim | undefined,
  look: Look,
  replaced: readonly Answered[],
): readonly SqlValue[] {
  if (claim === undefined) return [null, null, null, null, null, null, null, null, null, null];
  const { worker, requestId, limit, lanes, leaseMs } = claim;
  return [
    worker,
    requestId,
    requestsOf(replaced.filter(({ held }) => held.size > 0)),
    requestsOf(replaced.filter(({ held }) => held.size === 0)),
    toCount(limit),
    textArray([...lanes.keys()]),
    plainArray([...lanes.values()].map(toCount)),
    plainArray(look.lows),
    plainArray(look.lowDues),
    upToWhole(leaseMs),
  ];
}

function requestsOf(answered: readonly Answered[]): string | null {
  return answered.length === 0 ? null : textArray(answered.map(({ request }) => request));
}

function remember(
  memory: ClaimMemory,
  claim: Claim,
  { answer, replaced }: { readonly answer: Answer; readonly replaced: readonly Answered[] },
): void {
  const { claimed, isCut = false } = answer;
  if (claimed.length > 0) memory.answered(claim, heldBy(claimed), replaced);
  let left = claim.limit;
  for (const [lane, limit] of claim.lanes) {
    const parts = claimed.filter((part) => part.lane === lane);
    const count = parts.reduce((sum, { ids }) => sum + ids.length, 0);
    const hasKeys = parts.some(({ concurrency }) => concurrency !== undefined);
    const last = hasKeys ? undefined : parts.at(-1)?.ords.at(-1);
    memory.took(lane, { last, isAll: isCut || count >= Math.min(limit, left) });
    left -= count;
  }
}

function heldBy(claimed: readonly ClaimedRows[]): Map<string, Held> {
  const held = new Map<string, Held>();
  for (const { ids, epochs, ords } of claimed) {
    for (const [index, id] of ids.entries())
      held.set(id, { epoch: epochs[index] ?? 0, ord: ords[index] ?? 0 });
  }
  return held;
}
