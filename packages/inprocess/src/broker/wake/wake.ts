import type { Lane, Store } from '../record/store.ts';
import { readNow } from '../record/store.ts';

/** Returns whether a claim of the lane may get a run now. */
export function hasWork(store: Store, lane: Lane): boolean {
  if (lane.ready.first !== undefined || lane.returned.length > 0) return true;
  const next = lane.scheduled[0];
  return next !== undefined && next.rank <= readNow(store);
}

/** Ends the calls that wait for this lane. */
export function wake(lane: Lane): void {
  for (const finish of lane.waiters) finish();
}

/** Sets the one timer of a lane to when its next scheduled run is due, if a call waits for it. */
export function armDueTimer(store: Store, lane: Lane): void {
  disarmDueTimer(lane);
  const dueAt = lane.scheduled[0]?.rank ?? Infinity;
  if (lane.waiters.size === 0 || dueAt === Infinity) return;
  // A timer may fire a little early, and instants have fractions: then it is set once more.
  const onDue = (): void => (hasWork(store, lane) ? wake(lane) : armDueTimer(store, lane));
  lane.cancelTimer = store.clock.setTimer(onDue, Math.max(1, Math.ceil(dueAt - store.clock.now())));
}

/** Cancels the timer of a lane. */
export function disarmDueTimer(lane: Lane): void {
  lane.cancelTimer?.();
  lane.cancelTimer = undefined;
}
