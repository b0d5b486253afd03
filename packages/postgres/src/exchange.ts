import type { Claim, ExchangeReply, ExchangeRequest, SettleAnswer, Settlement } from '@retry/core/broker';
import type { Answered, ClaimMemory, Held, Look } from './claim-memory.ts';
import type { Database, SqlValue } from './database.ts';
import type { ClaimedRows } from './read-claims.ts';
import { readClaims } from './read-claims.ts';
import type { Retention } from './retention.ts';
import { countFinished, refuseUnsettled, settlementColumns, splitSettlements } from './settlement-rows.ts';
import { plainArray, textArray } from './text-array.ts';
import type { WorkWatch } from './work-watch.ts';

/** What an exchange works with. */
export interface ExchangePort {
  readonly database: Database;
  readonly memory: ClaimMemory;
  readonly retention: Retention;
  readonly watch: WorkWatch;
}

/** What the function `exchange` gives. */
interface Answer {
  readonly now: number;
  readonly settled: string;
  readonly lanes: readonly string[];
  readonly claimed: readonly ClaimedRows[];
  readonly due: number | null;
  readonly trimmed: number | null;
}

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
    reply = await exchangePart(port, settlements, index === parts.length - 1 ? claim : undefined);
    settled.push(...reply.settled);
  }
  return { claimed: [], now: 0, ...reply, settled };
}

async function exchangePart(
  port: ExchangePort,
  settlements: readonly Settlement[],
  claim: Claim | undefined,
): Promise<ExchangeReply> {
  const { database, memory, retention, watch } = port;
  const at = performance.now();
  const look = memory.lookAt(claim?.lanes.keys() ?? [], at);
  const replaced = claim === undefined ? [] : memory.replaces(claim);
  const columns = settlementColumns(settlements, memory.placesOf(settlements));
  const trim = retention.next(countFinished(settlements), at);
  const text = await database.call('exchange', [...columns, ...claimValues(claim, look, replaced), ...trim]);
  const answer = JSON.parse(text ?? '') as Answer; // what our own function builds
  const { now, due } = answer;
  retention.trimmed(answer.trimmed);
  watch.poke(comingBack(settlements, answer.lanes));
  memory.reset(answer.lanes);
  const { settled } = readAnswer(answer);
  memory.settled(settlements, settled);
  if (claim !== undefined) remember(memory, claim, { claimed: answer.claimed, replaced });
  if (claim !== undefined) memory.looked(look, { at, until: performance.now(), serverNow: now });
  const reply = { settled, claimed: readClaims(answer.claimed), now };
  return due === null ? reply : { ...reply, nextRunAt: due };
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

/** Lanes that may have work now, or have more in their schedule. */
function comingBack(settlements: readonly Settlement[], lanes: readonly string[]) {
  const of = (state: string): string[] =>
    settlements.filter(({ next }) => next.state === state).map(({ next }) => next.lane);
  return { ready: [...of('submitted'), ...lanes], later: of('scheduled') };
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
    limit,
    textArray([...lanes.keys()]),
    plainArray([...lanes.values()]),
    plainArray(look.lows),
    look.lowDue,
    Math.ceil(leaseMs),
  ];
}

function requestsOf(answered: readonly Answered[]): string | null {
  return answered.length === 0 ? null : textArray(answered.map(({ request }) => request));
}

function remember(
  memory: ClaimMemory,
  claim: Claim,
  { claimed, replaced }: Pick<Answer, 'claimed'> & { readonly replaced: readonly Answered[] },
): void {
  if (claimed.length > 0) memory.answered(claim, heldBy(claimed), replaced);
  let left = claim.limit;
  for (const [lane, limit] of claim.lanes) {
    const parts = claimed.filter((part) => part.lane === lane);
    const count = parts.reduce((sum, { ids }) => sum + ids.length, 0);
    const hasKeys = parts.some(({ concurrency }) => concurrency !== undefined);
    const last = hasKeys ? undefined : parts.at(-1)?.ords.at(-1);
    memory.took(lane, { last, isAll: count >= Math.min(limit, left) });
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
