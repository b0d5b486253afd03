import type { DiscardAnswer, RedriveAnswer, RedriveOptions } from '@retry/core/broker';
import type { RunState } from '@retry/core/lifecycle';
import type { Deque } from './deque.ts';
import { pushBack, unlink } from './deque.ts';
import type { Entry } from './entry.ts';
import { move } from './entry.ts';
import { enqueueBack } from './lanes.ts';
import type { Store } from './store.ts';

/** Whether a run that ended so can be redriven. */
export function isDeadLetter(state: RunState): boolean {
  return state === 'failed' || state === 'stalled' || state === 'rate_limited';
}

/** Keeps a run that ended, and forgets the oldest of those that retention allows no longer. */
export function endRun(store: Store, entry: Entry): void {
  entry.place = 'ended';
  pushBack(endedList(store, entry), entry);
  for (let oldest = store.finished.first; oldest !== undefined; oldest = store.finished.first) {
    if (store.finished.size <= store.keepCompleted) return;
    forget(store, oldest);
  }
}

/** Sends a dead letter back to its lane. */
export function redriveRun(
  store: Store,
  id: string,
  { now, keepAttempts = false }: RedriveOptions & { readonly now: number },
): RedriveAnswer {
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  if (!isDeadLetter(entry.run.state)) return 'refused';
  unlink(endedList(store, entry), entry);
  const run = move(entry.run, { type: 'redrive', at: now, keepAttempts });
  // Errors and the previous delay are those since the last reset, and this is one.
  entry.run = keepAttempts ? run : { ...run, errors: [], previousDelayMs: undefined };
  enqueueBack(store, entry);
  return 'redriven';
}

/** Forgets an ended run for good. */
export function discardRun(store: Store, id: string): DiscardAnswer {
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  if (entry.place !== 'ended') return 'refused';
  forget(store, entry);
  return 'discarded';
}

function forget(store: Store, entry: Entry): void {
  unlink(endedList(store, entry), entry);
  entry.place = 'none';
  store.entries.delete(entry.run.id);
  store.forgotten++;
}

function endedList(store: Store, { run }: Entry): Deque<Entry> {
  return isDeadLetter(run.state) && run.isDisposable !== true ? store.deadLetters : store.finished;
}
