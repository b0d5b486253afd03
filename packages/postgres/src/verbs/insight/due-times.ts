import type { DueTimes, DueTimesQuery } from '@retry/core/broker';
import type { Database } from '../../driver/database.ts';

/** Runs that are counted before the first span, in all spans, and after the last one, at most of each. */
const MAX_ENTRIES = 20_000;

/** What `count_due_times` replies: spans without runs have no count. */
interface Reply extends Omit<DueTimes, 'counts'> {
  readonly counts: Readonly<Record<string, number>>;
}

/** Counts scheduled runs by when they are due. */
export async function countDueTimes(database: Database, query: DueTimesQuery): Promise<DueTimes> {
  const { from, bucketMs, buckets, lanes } = query;
  const reply = await database.call('count_due_times', {
    lanes: lanes === undefined ? null : [...new Set(lanes)],
    ...{ from, bucketMs, buckets, limit: MAX_ENTRIES },
  });
  const { counts, ...others } = JSON.parse(reply ?? '') as Reply; // what our own function builds
  return { ...others, counts: Array.from({ length: buckets }, (_, bucket) => counts[bucket] ?? 0) };
}
