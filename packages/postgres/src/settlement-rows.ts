import type { Settlement } from '@retry/core/broker';
import { isEnd } from '@retry/core/lifecycle';
import type { SqlValue } from './database.ts';
import { PostgresBrokerError } from './errors.ts';
import { plainArray, textArray } from './text-array.ts';
import { errorNameOf, writeRecord } from './write-record.ts';

/** Where `settle_runs` is to put a run: front or back of its lane, schedule, finished, dead letter. */
type Mode = 'r' | 'b' | 's' | 'e' | 'd';

/** So many settlements travel in one statement. */
const MOST = 20_000;

/** @throws {PostgresBrokerError} `UNSETTLED` for a settlement that ends no claim */
export function refuseUnsettled(settlements: readonly Settlement[]): void {
  for (const { id, next } of settlements) {
    if (next.state !== 'started' && next.state !== 'unsubmitted') continue;
    throw new PostgresBrokerError(
      'UNSETTLED',
      `a settlement ends a claim, but that of run ${id} leads to ${next.state}. Settle the next state.`,
    );
  }
}

/** Parts in which no id stands twice, so that each can be one statement. Positions say where each one stood. */
export function splitSettlements(settlements: readonly Settlement[]): readonly (readonly number[])[] {
  const parts: number[][] = [];
  let part: number[] = [];
  let ids = new Set<string>();
  settlements.forEach(({ id }, position) => {
    if (ids.has(id) || part.length === MOST) {
      parts.push(part);
      part = [];
      ids = new Set();
    }
    ids.add(id);
    part.push(position);
  });
  return [...parts, part];
}

/** Whether the run is kept until somebody redrives or discards it. */
function isDeadLetter({ next }: Settlement): boolean {
  const isDead = next.state === 'failed' || next.state === 'stalled' || next.state === 'rate_limited';
  return isDead && next.isDisposable !== true;
}

function modeOf(settlement: Settlement): Mode {
  const { state } = settlement.next;
  if (isEnd(state)) return isDeadLetter(settlement) ? 'd' : 'e';
  if (state === 'scheduled') return 's';
  return settlement.event === 'release' ? 'r' : 'b';
}

/** Settlements as the columns that `exchange` takes. */
export function settlementColumns(settlements: readonly Settlement[]): readonly SqlValue[] {
  const modes = settlements.map((settlement) => {
    const mode = modeOf(settlement);
    return settlement.onlyIfExpired === true ? mode.toUpperCase() : mode;
  });
  return [
    textArray(settlements.map(({ id }) => id)),
    plainArray(settlements.map(({ epoch }) => epoch)),
    textArray(modes),
    textArray(settlements.map(({ next }) => next.state)),
    plainArray(settlements.map(instantOf)),
    textArray(settlements.map(({ next }) => errorNameOf(next))),
    textArray(settlements.map(({ next }) => next.result)),
    textArray(settlements.map(writeRecord)),
    lanesOf(settlements, 'submitted'),
    lanesOf(settlements, 'scheduled'),
  ];
}

/** How many of them end for good, so that retention has something to do. */
export function countFinished(settlements: readonly Settlement[]): number {
  return settlements.filter((settlement) => modeOf(settlement) === 'e').length;
}

/** When it is due, or when it ended. Never early: fractions of a due instant are rounded up. */
function instantOf({ next }: Settlement): number {
  return next.state === 'scheduled' ? Math.ceil(next.runAt ?? 0) : Math.floor(next.completedAt ?? 0);
}

function lanesOf(settlements: readonly Settlement[], state: 'submitted' | 'scheduled'): string | null {
  const lanes = new Set(settlements.filter(({ next }) => next.state === state).map(({ next }) => next.lane));
  return lanes.size === 0 ? null : textArray([...lanes]);
}
