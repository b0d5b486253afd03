import { nextWorkAt } from '@retry/core/broker/kit';
import { laneHeldUntil } from '../record/holds.ts';
import type { Lane, Store } from '../record/store.ts';
import { readNow } from '../record/store.ts';

/** Returns whether a claim of the lane may get a run now. */
export function hasWork(store: Store, lane: Lane): boolean {
  const now = readNow(store);
  if (laneHeldUntil(store, lane.name, now) > now) return false;
  return hasReady(lane) || (lane.scheduled[0]?.rank ?? Infinity) <= now;
}

/** Returns when a claim gets more of the lane by time alone; `Infinity` when it does not. */
export function laneWorkAt(store: Store, lane: Lane, now: number): number {
  const dueAt = lane.scheduled[0]?.rank ?? Infinity;
  return nextWorkAt({ heldUntil: laneHeldUntil(store, lane.name, now), dueAt, isReady: hasReady(lane) }, now);
}

/** Ends the calls that wait for this lane, unless it is on hold. */
export function wake(store: Store, lane: Lane): void {
  if (lane.waiters.size === 0) return;
  const now = readNow(store);
  if (laneHeldUntil(store, lane.name, now) > now) armDueTimer(store, lane);
  else for (const finish of lane.waiters) finish();
}

/** Must be called when the lane has another hold: ends the calls that wait, or sets their timer. */
export function rearm(store: Store, lane: Lane): void {
  if (hasWork(store, lane)) wake(store, lane);
  else armDueTimer(store, lane);
}

/** Sets the one timer of a lane to when it has work next, if a call waits for it. */
export function armDueTimer(store: Store, lane: Lane): void {
  disarmDueTimer(lane);
  if (lane.waiters.size === 0) return;
  const workAt = laneWorkAt(store, lane, readNow(store));
  if (workAt === Infinity) return;
  // A timer may fire a little early, and instants have fractions: then it is set once more.
  const onDue = (): void => rearm(store, lane);
  lane.cancelTimer = store.clock.setTimer(onDue, Math.max(1, Math.ceil(workAt - readNow(store))));
}

/** Cancels the timer of a lane. */
export function disarmDueTimer(lane: Lane): void {
  lane.cancelTimer?.();
  lane.cancelTimer = undefined;
}

function hasReady({ ready, returned }: Lane): boolean {
  return ready.first !== undefined || returned.length > 0;
}
