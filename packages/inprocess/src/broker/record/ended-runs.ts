import type { ErrorGroupName } from '@retry/core/broker';
import { isKeptLetter, longBytes, trimmedRun } from '@retry/core/broker/kit';
import type { Deque } from './deque.ts';
import { pushBack, unlink } from './deque.ts';
import { joinGroup, leaveGroup } from './error-groups.ts';
import { push, remove } from './heap.ts';
import { forgetEmpty } from './lanes.ts';
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

/** Releases results whose time is over, forgets the idempotency keys of forgotten runs, and runs whose time is over. */
export function expireKept(store: Store, now: number): void {
  for (let entry = store.awaited[0]; entry !== undefined && entry.rank <= now; entry = store.awaited[0]) {
    releaseResult(store, entry);
  }
  forgetOld(store, store.finished, now - store.keepForMs);
  forgetOld(store, store.deadLetters, now - store.keepDeadForMs);
  for (const [id, until] of store.forgottenKeys) {
    if (until > now) return;
    store.forgottenKeys.delete(id);
  }
}

/** Forgets the first runs of a list, up to one that ended later than this. */
function forgetOld(store: Store, list: Deque<Entry>, upTo: number): void {
  for (let oldest = list.first; oldest !== undefined; oldest = list.first) {
    if ((oldest.run.endedAt ?? 0) > upTo) return;
    forget(store, oldest);
  }
}

/** Removes an ended run for good; its idempotency key stays known for a while. */
export function forget(store: Store, entry: Entry): void {
  const { id, endedAt = 0 } = entry.run;
  removeEnded(store, entry);
  entry.location = 'none';
  store.entries.delete(id);
  entry.lane.runCount--;
  forgetEmpty(store, entry.lane);
  store.forgotten++;
  const until = endedAt + store.keepKeysMs;
  if (entry.isKeyed && until > readNow(store)) store.forgottenKeys.set(id, until);
}

/** Removes a run from the list of ended runs that it is in. */
export function removeEnded(store: Store, entry: Entry): void {
  leaveGroup(store, entry);
  if (entry.location === 'awaited') remove(store.awaited, entry);
  else unlink(endedList(store, entry), entry);
  leaveLong(store, entry);
}

function keepEnded(store: Store, entry: Entry): void {
  entry.location = 'ended';
  entry.order = ++store.endOrder;
  const list = endedList(store, entry);
  pushBack(list, entry);
  if (list !== store.finished) return;
  noteLong(store, entry);
  for (let oldest = store.finished.first; oldest !== undefined; oldest = store.finished.first) {
    if (store.finished.size <= store.keepCount) return;
    forget(store, oldest);
  }
}

/** Counts the long texts of a finished run, and deletes those of the oldest ones that are beyond what is kept. */
function noteLong(store: Store, entry: Entry): void {
  const bytes = longBytes(entry.run);
  if (bytes === 0) return;
  store.long.add(entry);
  store.longBytes += bytes;
  for (const oldest of store.long) {
    if (store.longBytes <= store.keepBytes) return;
    leaveLong(store, oldest);
    oldest.run = trimmedRun(oldest.run);
  }
}

function leaveLong(store: Store, entry: Entry): void {
  if (store.long.delete(entry)) store.longBytes -= longBytes(entry.run);
}

function endedList(store: Store, { run }: Entry): Deque<Entry> {
  return isKeptLetter(run) ? store.deadLetters : store.finished;
}
