import type { ListQuery, Run } from '@retry/core/broker';
import { sizedPage } from '@retry/core/broker';
import { isEnd } from '@retry/core/lifecycle';
import { walk } from '../record/deque.ts';
import { isDeadLetter } from '../record/ended-runs.ts';
import type { Entry, Store } from '../record/store.ts';

/** Returns the runs that match, by ascending id, at most `limit` of them. */
export function listRuns(store: Store, query: ListQuery): readonly Run[] {
  let first: Run[] = [];
  // The largest id of a full page: later ids are skipped.
  let lastId: string | undefined;
  for (const { run } of candidates(store, query)) {
    if (!matches(run, query) || (lastId !== undefined && run.id > lastId)) continue;
    first.push(run);
    // Sorted and cut once per page of matches, so that a long list is never sorted as a whole.
    if (first.length < 2 * query.limit) continue;
    first = firstPage(first, query.limit);
    lastId = first.at(-1)?.id;
  }
  const page = firstPage(first, query.limit);
  return sizedPage(query.payloads === 'omit' ? page.map(withoutPayload) : page);
}

/** Returns the run without payload and result. */
export function withoutPayload(run: Run): Run {
  return { ...run, payload: '', result: undefined };
}

function firstPage(runs: readonly Run[], limit: number): Run[] {
  return [...runs].sort((left, right) => (left.id < right.id ? -1 : 1)).slice(0, limit);
}

function* candidates(store: Store, { state }: ListQuery): Iterable<Entry> {
  if (!isEnd(state)) yield* store.entries.values();
  if (isEnd(state)) yield* walk(store.finished);
  if (isEnd(state)) yield* store.awaited;
  if (isDeadLetter(state)) yield* walk(store.deadLetters);
}

function matches(run: Run, { state, lane, endedBefore, errorName, after }: ListQuery): boolean {
  if (run.state !== state) return false;
  if (after !== undefined && run.id <= after) return false;
  if (lane !== undefined && run.lane !== lane) return false;
  if (errorName !== undefined && run.errors.at(-1)?.name !== errorName) return false;
  if (endedBefore === undefined) return true;
  return isEnd(state) && run.endedAt !== undefined && run.endedAt < endedBefore;
}
