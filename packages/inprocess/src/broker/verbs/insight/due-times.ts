import type { DueTimes, DueTimesQuery } from '@retry/core/broker';
import { scheduledEntries } from '../../record/lanes.ts';
import type { Store } from '../../record/store.ts';

/** Counts scheduled runs by when they are due. */
export function countDueTimes(store: Store, query: DueTimesQuery, at: number): DueTimes {
  const { from, bucketMs, buckets, lanes } = query;
  const wanted = lanes === undefined ? undefined : new Set(lanes);
  const counts = new Array<number>(buckets).fill(0);
  let [before, after] = [0, 0];
  for (const { rank, lane } of scheduledEntries(store)) {
    if (wanted !== undefined && !wanted.has(lane.name)) continue;
    const bucket = Math.floor((rank - from) / bucketMs);
    if (bucket < 0) before += 1;
    else if (bucket >= buckets) after += 1;
    else counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return {
    at,
    before: { count: before, isComplete: true },
    counts,
    after: { count: after, isComplete: true },
    completeUntil: from + bucketMs * buckets,
  };
}
