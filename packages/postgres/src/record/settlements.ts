import type { Settlement } from '@retry/core/broker';
import { MAX_BATCH_BYTES, runBytes, unsettledError } from '@retry/core/broker';
import type { EndState } from '@retry/core/lifecycle';
import { isEnd } from '@retry/core/lifecycle';
import type { SqlValue } from '../driver/database.ts';
import { downToWhole, toEpoch, upToWhole } from './numbers.ts';
import { plainArray, textArray } from './text-array.ts';
import { errorNameOf, needsNoRecord, writeRecord } from './write-record.ts';

/** What becomes of a run, in the letters of `settle_runs`. */
const ENDS: Readonly<Record<EndState, string>> = {
  completed: 'C',
  cancelled: 'X',
  dropped: 'D',
  failed: 'f',
  stalled: 't',
  rateLimited: 'l',
};

/** Letters of runs that retention may forget. */
const FINISHED = /[A-Z]/;

/** So many settlements travel in one statement. */
const MAX_SETTLEMENTS = 20_000;

/** @throws {BrokerError} `INVALID_SETTLEMENT` for a settlement that ends no claim */
export function refuseUnsettled(settlements: readonly Settlement[]): void {
  for (const { id, next } of settlements) {
    if (next.state !== 'started' && next.state !== 'unsubmitted') continue;
    throw unsettledError(id, next.state);
  }
}

/**
 * Parts in which no id stands twice, and all or none ask for a lease that has run out, so that each can be one
 * statement, of no more bytes than one carries. Positions say where each one stood.
 */
export function splitSettlements(settlements: readonly Settlement[]): readonly (readonly number[])[] {
  const parts: number[][] = [];
  let part: number[] = [];
  let ids = new Set<string>();
  let bytes = 0;
  settlements.forEach((settlement, position) => {
    const size = bytesOf(settlement);
    const isFull = part.length === MAX_SETTLEMENTS || (part.length > 0 && bytes + size > MAX_BATCH_BYTES);
    if (isFull || ids.has(settlement.id) || isOther(settlement, settlements[position - 1])) {
      parts.push(part);
      part = [];
      ids = new Set();
      bytes = 0;
    }
    ids.add(settlement.id);
    bytes += size;
    part.push(position);
  });
  return [...parts, part];
}

function isOther({ onlyIfExpired = false }: Settlement, before: Settlement | undefined): boolean {
  return before !== undefined && onlyIfExpired !== (before.onlyIfExpired ?? false);
}

/** What of a settlement travels: its payload never changes, and stays where it is. */
function bytesOf({ next }: Settlement): number {
  return runBytes(next) - next.payload.length;
}

function moveOf({ event, next }: Settlement): string {
  const { state } = next;
  if (isEnd(state)) return next.isDisposable === true ? ENDS[state].toUpperCase() : ENDS[state];
  if (state === 'scheduled') return 's';
  return event === 'release' ? 'r' : 'b';
}

/**
 * Settlements as the columns that `exchange` takes; all or none of them only if their leases have run out.
 *
 * @param places - where each of the runs stood when it was claimed, where that is known
 */
export function settlementColumns(
  settlements: readonly Settlement[],
  places: readonly (number | undefined)[],
  news: 'tell' | 'keep' = 'tell',
): readonly SqlValue[] {
  return [
    textArray(settlements.map(({ id }) => id)),
    plainArray(settlements.map(({ epoch }) => toEpoch(epoch))),
    plainArray(places),
    settlements.map(moveOf).join(''),
    settlements[0]?.onlyIfExpired === true,
    plainArray(settlements.map(({ next }) => downToWhole(next.firstStartedAt ?? 0))),
    plainArray(settlements.map(instantOf)),
    plainArray(settlements.map(delayOf)),
    textArray(settlements.map(({ next }) => errorNameOf(next))),
    textArray(settlements.map(({ next }) => next.result)),
    recordLines(settlements),
    news === 'tell',
  ];
}

/** A line of JSON for each, empty where none is needed; `null` where none needs one. */
function recordLines(settlements: readonly Settlement[]): string | null {
  if (settlements.every(needsNoRecord)) return null;
  return settlements.map((one) => (needsNoRecord(one) ? '' : writeRecord(one))).join('\n');
}

/** How many of them end for good, so that retention has something to do. */
export function countFinished(settlements: readonly Settlement[]): number {
  return settlements.filter((one) => FINISHED.test(moveOf(one))).length;
}

/** When it is due, or when it ended. Never early: fractions of a due instant are rounded up. */
function instantOf({ next }: Settlement): number {
  return next.state === 'scheduled' ? upToWhole(next.runAt ?? 0) : downToWhole(next.endedAt ?? 0);
}

/** How long from the instant of writing it is due, where that was decided. */
function delayOf({ next, delayMs }: Settlement): number | undefined {
  return next.state === 'scheduled' && delayMs !== undefined ? upToWhole(Math.max(0, delayMs)) : undefined;
}
