import type { ErrorGroupName } from '@retry/core/broker';
import { isDeadLetter } from '@retry/core/lifecycle';
import type { Deque } from './deque.ts';
import { pushBack, unlink } from './deque.ts';
import { joinGroup, leaveGroup } from './error-groups.ts';
import { push, remove } from './heap.ts';
import type { Entry, Store } from './store.ts';
import { readNow } from './store.ts';

/**
 * Keeps an ended run: as a dead letter, for a caller that waits for its result, or as long as retention allows.
 *
 * @param group - what it is counted under if it is a dead letter
 */
export function endRun(store: Store, entry: Entry, group?: ErrorGroupName): void {
  joinGroup(store, entry, group);
  const { keepResultMs, run } = entry;
  if (keepResultMs === undefined) {
    keepEnded(store, entry);
    return;
  }
  entry.location = 'awaited';
  entry.rank = (run.endedAt ?? 0) + Math.max(0, keepResultMs);
  push(store.awaited, entry);
  for (const finish of store.resultWaits) finish();
}

/** Ends the time that a result is kept for a caller: the run is now kept like any other. */
export function releaseResult(store: Store, entry: Entry): void {
  remove(store.awaited, entry);
  keepEnded(store, entry);
}

/** Releases results whose time is over, and the idempotency keys of forgotten runs. */
export function expireKept(store: Store, now: number): void {
  for (let entry = store.awaited[0]; entry !== undefined && entry.rank <= now; entry = store.awaited[0]) {
    releaseResult(store, entry);
  }
  for (const [id, until] of store.forgottenKeys) {
    if (until > now) return;
    store.forgottenKeys.delete(id);
  }
}

/** Removes an ended run for good; its idempotency key stays known for a while. */
export function forget(store: Store, entry: Entry): void {
  const { id, endedAt = 0 } = entry.run;
  removeEnded(store, entry);
  entry.location = 'none';
  store.entries.delete(id);
  store.forgotten++;
  const until = endedAt + store.keepKeysMs;
  if (entry.isKeyed && until > readNow(store)) store.forgottenKeys.set(id, until);
}

/** Removes a run from the list of ended runs that it is in. */
export function removeEnded(store: Store, entry: Entry): void {
  leaveGroup(store, entry);
  if (entry.location === 'awaited') remove(store.awaited, entry);
  else unlink(endedList(store, entry), entry);
}

function keepEnded(store: Store, entry: Entry): void {
  entry.location = 'ended';
  entry.order = ++store.endOrder;
  pushBack(endedList(store, entry), entry);
  for (let oldest = store.finished.first; oldest !== undefined; oldest = store.finished.first) {
    if (store.finished.size <= store.keepCompleted) return;
    forget(store, oldest);
  }
}

function endedList(store: Store, { run }: Entry): Deque<Entry> {
  return isDeadLetter(run.state) && run.isDisposable !== true ? store.deadLetters : store.finished;
}
