import type { Change, ChangeAnswer } from '@retry/core/broker';
import { isEnd } from '@retry/core/lifecycle';
import { forget } from '../record/ended-runs.ts';
import { moveRun } from '../record/move-run.ts';
import { seenOf } from '../record/seen.ts';
import type { Entry, Store } from '../record/store.ts';

/** Makes of a run what it is to be, if it is still what was seen and no worker holds it. */
export function changeRun(store: Store, { id, seen, next, group }: Change): ChangeAnswer {
  const entry = store.entries.get(id);
  if (entry === undefined) return 'gone';
  if (seenOf(store, entry) !== seen || !isPossible(entry, next)) return 'changed';
  if (next === 'forget') forget(store, entry);
  else if (next.state === 'started') requestCancel(entry);
  else moveRun(store, entry, { next, group });
  return 'done';
}

/** A run that a worker holds can only get a cancel request, and one that has ended is not ended again. */
function isPossible({ run: { state } }: Entry, next: Change['next']): boolean {
  if (next === 'forget') return isEnd(state);
  if (next.state === 'started') return state === 'started';
  return state !== 'started' && !(isEnd(state) && isEnd(next.state));
}

function requestCancel(entry: Entry): void {
  entry.run = { ...entry.run, isCancelRequested: true };
}
