import type { RunEventType } from '../../lifecycle/run-event.ts';
import type { EndState } from '../../lifecycle/run-state.ts';
import { isEnd } from '../../lifecycle/run-state.ts';
import { BrokerError } from '../broker.ts';
import type { HeartbeatAnswer, HeartbeatRequest } from '../heartbeat.ts';
import type { Run } from '../run.ts';
import type { SettleAnswer, Settlement } from '../settlement.ts';
import { copyRun, movedRun, withIdentity } from './copy-run.ts';
import { keepableMs } from './storable/instants.ts';

/** Returns how a broker answers a settlement, given the run that it keeps. Pure: the rule of every broker. */
export function answerSettlement(
  run: Run | undefined,
  { epoch, event, onlyIfExpired = false }: Settlement,
  lease: { readonly isExpired: boolean },
): SettleAnswer {
  if (run === undefined) return 'gone';
  if (run.settledBy === settledBy(epoch, event)) return 'already';
  if (run.state !== 'started' || run.epoch !== epoch) return 'fenced';
  return onlyIfExpired && !lease.isExpired ? 'fenced' : 'ok';
}

/**
 * Returns what an accepted settlement makes of its run. What it was submitted with, and what it brought along, stay as the broker keeps
 * them. A cancel request is about one claim and ends with it: where the worker did not see it in time, no further attempt starts.
 */
export function settledRun(run: Run, { epoch, event, next, delayMs }: Settlement, now: number): Run {
  const settled = withIdentity(copyRun(next), run);
  settled.carried = run.carried;
  settled.settledBy = settledBy(epoch, event);
  settled.isCancelRequested = undefined;
  settled.errorGroup = undefined; // a dead letter gets the one that it is counted under
  if (settled.state === 'scheduled')
    settled.runAt = keepableMs(delayMs === undefined ? (next.runAt ?? now) : now + Math.max(0, delayMs));
  const isCancelled = run.isCancelRequested === true && !isEnd(next.state);
  return isCancelled ? movedRun(settled, { type: 'cancel', at: now }) : settled;
}

/** Returns how a broker answers a heartbeat, given the run that it keeps. */
export function answerHeartbeat(run: Run | undefined, { epoch }: HeartbeatRequest): HeartbeatAnswer {
  if (run === undefined) return 'gone';
  if (run.state !== 'started' || run.epoch !== epoch) return 'fenced';
  return run.isCancelRequested === true ? 'cancel' : 'ok';
}

/** Returns what a run stores of an accepted settlement: `epoch:event`. */
export function settledBy(epoch: number, event: RunEventType): string {
  return `${epoch}:${event}`;
}

/** Where a settlement puts its run: an end state, the schedule, or the front or the back of its lane. */
export type Destination = EndState | 'schedule' | 'front' | 'back';

/** Returns where a settlement puts its run. Released runs were next already, so they return to the front of their lane. */
export function destinationOf({ event, next }: Settlement): Destination {
  if (isEnd(next.state)) return next.state;
  if (next.state === 'scheduled') return 'schedule';
  return event === 'release' ? 'front' : 'back';
}

/** Throws unless every settlement ends its claim. @throws {BrokerError} `INVALID_SETTLEMENT` */
export function refuseUnsettled(settlements: readonly Settlement[]): void {
  for (const { id, next } of settlements) {
    if (next.state === 'started' || next.state === 'unsubmitted') throw unsettledError(id, next.state);
  }
}

/** Returns the error of a settlement that would not end its claim. */
function unsettledError(id: string, state: string): BrokerError<'INVALID_SETTLEMENT'> {
  return new BrokerError(
    'INVALID_SETTLEMENT',
    `a settlement ends a claim, but that of run ${id} leads to ${state}. Settle the next state.`,
  );
}
