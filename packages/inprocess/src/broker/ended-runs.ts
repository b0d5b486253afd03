import type { DiscardAnswer, GetOptions, RedriveAnswer, RedriveOptions, Run } from '@retry/core/broker';
import type { RunState } from '@retry/core/lifecycle';
import type { Deque } from './deque.ts';
import { pushBack, unlink } from './deque.ts';
import type { Entry } from './entry.ts';
import { move } from './entry.ts';
import { push, remove } from './heap.ts';
import { enqueueBack } from './lanes.ts';
import type { Store } from './store.ts';
import { readNow } from './store.ts';

/** Whether a run that ended so can be redriven. */
export function isDeadLetter(state: RunState): boolean {
  return state === 'failed' || state === 'stalled' || state === 'rateLimited';
}

/** Keeps a run that ended: as a dead letter, for the caller that waits for its result, or as long as retention allows. */
export function endRun(store: Store, entry: Entry): void {
  const { keepResultMs, run } = entry;
  if (keepResultMs === undefined) keep(store, entry);
  else {
    entry.place = 'awaited';
    entry.rank = (run.endedAt ?? 0) + Math.max(0, keepResultMs);
    push(store.awaited, entry);
  }
  if (keepResultMs !== undefined) for (const finish of store.resultWaits) finish();
}

/** The run of this id. Once its result was collected, it is kept like any other. */
export function getRun(store: Store, id: string, { collect = false }: GetOptions = {}): Run | undefined {
  const entry = store.entries.get(id);
  if (collect && entry?.place === 'awaited') {
    remove(store.awaited, entry);
    keep(store, entry);
  }
  return entry?.run;
}

/** Lets go of what is kept for a time only and has had it: results that were not collected, keys of forgotten runs. */
export function expireKept(store: Store, now: number): void {
  for (let entry = store.awaited[0]; entry !== undefined && entry.rank <= now; entry = store.awaited[0]) {
    remove(store.awaited, entry);
    keep(store, entry);
  }
  for (const [id, until] of store.keysOfForgotten) {
    if (until > now) return;
    store.keysOfForgotten.delete(id);
  }
}

function keep(store: Store, entry: Entry): void {
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
  unkeep(store, entry);
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
  if (entry.place !== 'ended' && entry.place !== 'awaited') return 'refused';
  forget(store, entry);
  return 'discarded';
}

function forget(store: Store, entry: Entry): void {
  const { id, endedAt = 0 } = entry.run;
  unkeep(store, entry);
  entry.place = 'none';
  store.entries.delete(id);
  store.forgotten++;
  const until = endedAt + store.keepKeysMs;
  if (entry.isKeyed && until > readNow(store)) store.keysOfForgotten.set(id, until);
}

function unkeep(store: Store, entry: Entry): void {
  if (entry.place === 'awaited') remove(store.awaited, entry);
  else unlink(endedList(store, entry), entry);
}

function endedList(store: Store, { run }: Entry): Deque<Entry> {
  return isDeadLetter(run.state) && run.isDisposable !== true ? store.deadLetters : store.finished;
}
