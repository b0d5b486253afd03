import type {
  Claim,
  ClaimedRun,
  ExchangeReply,
  ExchangeRequest,
  SettleAnswer,
  Settlement,
} from '@retry/core/broker';
import { isLongText, longBytes, readAnswers, refuseUnsettled } from '@retry/core/broker/kit';
import type { Database } from '../driver/database.ts';
import { sqlStateOf } from '../driver/refusal.ts';
import { claimArguments, NO_CLAIM } from '../record/claim-arguments.ts';
import type { ClaimMemory, LaneStarts, LeasedRun } from '../record/claim-memory.ts';
import type { LinesOf, ReplyRows } from '../record/claims.ts';
import { readClaimLines, readClaims } from '../record/claims.ts';
import { recordClaim } from '../record/record-claim.ts';
import type { Retention, Tidied } from '../record/retention.ts';
import type { UnreadableRun } from '../record/run.ts';
import { settleUnreadable } from '../record/run.ts';
import {
  countFinished,
  settlementArguments,
  splitSettlements,
  submissionsOf,
} from '../record/settlements.ts';
import { submitArguments, submittedLanes } from '../record/submissions.ts';
import type { ClaimedRows } from '../schema/rows.ts';
import type { WorkNotification } from '../wake/notifications.ts';
import type { ResultWaits, WorkWaits } from '../wake/waits.ts';

/** What an exchange works with. */
export interface ExchangePort {
  readonly database: Database;
  readonly memory: ClaimMemory;
  readonly retention: Retention;
  readonly workWaits: WorkWaits;
  readonly resultWaits: ResultWaits;
}

/**
 * What `settle_and_claim` replies: its clock, a letter for each settlement, and what has changed. What is as it is as a rule is absent:
 * nothing for other workers to start (three lists and `results` come together), no other runs than plain ones.
 */
interface Reply extends Partial<WorkNotification>, Tidied {
  readonly now: number;
  readonly settled: string;
  /** Lanes that got back parked runs, as their concurrency keys are free; they are in `ready`, too. */
  readonly unparked?: readonly string[];
  readonly claimed?: readonly ClaimedRows[];
  /** One entry for each claimed lane: the order of the first run that got the turn of its fairness key and waits there; absent where none does. */
  readonly turns?: readonly (number | null)[];
  /** Until when plain runs are leased. */
  readonly until: number;
  /** How many plain runs have a row each; absent where each column of them has one. */
  readonly runs?: number;
  /** When the rest of the schedule of each claimed lane is due; absent where nothing is scheduled. */
  readonly dues?: readonly (number | null)[];
  /** When to claim again by a concurrency key that another worker was claiming by. */
  readonly busyUntil?: number | null;
  /** Claimed lanes that are on hold. Where lanes have no holds, neither this nor the next two are there. */
  readonly held?: readonly string[];
  /** Lanes of which a hold that probes has let a run through. */
  readonly probes?: readonly string[];
  /** When the claimed lanes have work by time alone, in place of `dues`. */
  readonly nextAt?: number | null;
  /** Whether the claim got as many bytes as one reply carries, so that there may be more runs. */
  readonly isCut?: boolean;
}

/** The SQLSTATE of a statement that was cancelled, as a rule because it took too long. */
const STATEMENT_CANCELLED = '57014';

/** Settles and claims in one call. Settlements that repeat an id take one more call for each repetition. */
export async function exchange(port: ExchangePort, request: ExchangeRequest): Promise<ExchangeReply> {
  const { settle = [], claim } = request;
  refuseUnsettled(settle);
  const parts = splitSettlements(settle);
  if (parts.length === 1) return exchangeInTime(port, settle, claim);
  const settled: SettleAnswer[] = [];
  let reply: ExchangeReply | undefined;
  for (const [index, part] of parts.entries()) {
    reply = await exchangeInTime(port, part, index === parts.length - 1 ? claim : undefined);
    settled.push(...reply.settled);
  }
  return { claimed: [], now: 0, ...reply, settled };
}

/**
 * Exchanges in smaller statements where a role's `statement_timeout` is shorter than one takes: the same statement would
 * take as long again.
 *
 * 1. The settlements by halves.
 * 2. The claim by itself.
 * 3. The claim of half as many runs, and so on.
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
    if (sqlStateOf(error) !== STATEMENT_CANCELLED || count + limit <= 1) throw error;
    if (count === 0 && claim !== undefined) {
      return exchangeInTime(port, [], { ...claim, limit: Math.ceil(limit / 2) });
    }
    // Of a single settlement, the second half is empty and leaves the statement to the claim.
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
  if (settlements[0]?.submit !== undefined) return settleAndSubmit(port, settlements, claim);
  const { database, memory, retention } = port;
  const startedAt = performance.now();
  const starts = memory.startsOf(claim?.lanes.keys() ?? [], startedAt);
  const replaced = claim === undefined ? [] : memory.replacedBy(claim);
  const given = settlementArguments(settlements, leasesOf(port, settlements));
  const rows = await database.callRows('settle_and_claim', {
    // First: where a spread is, V8 before version 12 gives each object a shape of its own.
    notify: true,
    ...given,
    ...(claim === undefined ? NO_CLAIM : claimArguments(claim, starts, replaced)),
    ...retention.next(countFinished(given.destinations ?? ''), startedAt),
  });
  const reply = readReply(rows);
  const settled = readAnswers('settle', reply.settled);
  recordReply(port, reply);
  memory.recordSettled(settlements, settled);
  if (claim === undefined) return { settled, claimed: [], now: reply.now };
  const found = reply.claimed ?? readClaimLines(rows, linesOf(reply, starts));
  recordClaim(memory, claim, { starts, reply, replaced, found });
  const span = { startedAt, endedAt: performance.now(), serverNow: reply.now, rows };
  memory.recordRead(starts, span, reply.dues ?? []);
  recordLanes(port, starts, reply);
  const { claimed, unreadable } = readClaims(found);
  if (unreadable.length > 0) await failUnreadable(port, unreadable);
  return { settled, claimed: markProbes(claimed, reply), now: reply.now, ...nextRunOf(reply) };
}

/** Settles runs each of which submits another one; a claim follows in a call of its own. */
async function settleAndSubmit(
  port: ExchangePort,
  settlements: readonly Settlement[],
  claim: Claim | undefined,
): Promise<ExchangeReply> {
  const { database, memory, retention, workWaits } = port;
  const submissions = submissionsOf(settlements);
  const given = settlementArguments(settlements, leasesOf(port, settlements));
  const rows = await database.callRows('settle_and_submit', {
    notify: true,
    ...given,
    ...submitArguments(submissions),
    ...retention.next(countFinished(given.destinations ?? ''), performance.now()),
  });
  const reply = readReply(rows);
  const settled = readAnswers('settle', reply.settled);
  recordReply(port, reply);
  memory.recordSettled(settlements, settled);
  workWaits.notify(submittedLanes(submissions));
  if (claim === undefined) return { settled, claimed: [], now: reply.now };
  return { ...(await exchangePart(port, [], claim)), settled };
}

/** Returns the leases of settlements, without the row of a run that has a long result now; counts the bytes of long texts. */
function leasesOf(
  { memory, retention }: Pick<ExchangePort, 'memory' | 'retention'>,
  settlements: readonly Settlement[],
): readonly (LeasedRun | undefined)[] {
  return memory.leasesOf(settlements).map((leased, index) => {
    const result = settlements[index]?.next.result;
    if (leased?.long !== undefined) retention.noteLong(leased.long);
    if (result === undefined || !isLongText(result)) return leased;
    retention.noteLong(longBytes({ payload: '', result }));
    return leased && { ...leased, rowAt: undefined };
  });
}

/** Settles runs that cannot be read. Where that fails, their leases expire, and the cleaner that finds them settles them. */
export async function failUnreadable(port: ExchangePort, runs: readonly UnreadableRun[]): Promise<void> {
  await exchange(port, { settle: runs.map(settleUnreadable) }).catch(() => undefined);
}

/** Returns the answers to settlements and the server's clock from a reply. */
export function readSettled(text: string | null): Pick<ExchangeReply, 'settled' | 'now'> {
  const { settled, now } = readReply([text]);
  return { settled: readAnswers('settle', settled), now };
}

function readReply(rows: ReplyRows): Reply {
  return JSON.parse(rows[0] ?? '') as Reply; // what our own function builds
}

function recordReply({ memory, retention, workWaits, resultWaits }: ExchangePort, reply: Reply): void {
  retention.record(reply);
  const { ready = [], later = [], results = false, unparked = [] } = reply;
  workWaits.notify({ ready, later });
  if (results) resultWaits.wake();
  memory.forgetLanes(unparked);
}

function linesOf({ now, until, runs }: Reply, { lanes }: LaneStarts): LinesOf {
  return { at: now, until, lanes, runs };
}

function markProbes(claimed: readonly ClaimedRun[], { probes = [] }: Reply): readonly ClaimedRun[] {
  if (probes.length === 0) return claimed;
  return claimed.map((one) => (probes.includes(one.run.lane) ? { ...one, isProbe: true } : one));
}

function nextRunOf({ dues = [], nextAt, busyUntil = null }: Reply): Pick<ExchangeReply, 'nextRunAt'> {
  const known = [...(nextAt === undefined ? dues : [nextAt]), busyUntil].filter((due) => due !== null);
  return known.length === 0 ? {} : { nextRunAt: Math.min(...known) };
}

/** Records which lanes are on hold, and wakes the workers of this process for runs that the claim has brought by turn, and left. */
function recordLanes(
  { workWaits }: Pick<ExchangePort, 'workWaits'>,
  { lanes, reads }: LaneStarts,
  { held = [], turns = [] }: Reply,
): void {
  workWaits.recordHeld(lanes, held);
  if (turns.length === 0) return;
  for (const [index, seq] of turns.entries()) if (seq !== null) reads[index]?.mark.recordLate(seq);
  workWaits.notify({ ready: lanes.filter((_, index) => (turns[index] ?? null) !== null), later: [] });
}
