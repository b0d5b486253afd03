import type { DueTimes, DueTimesQuery } from '@retry/core/broker';
import { dueTimesScript, scheduledLanesScript } from '../../scripts/lua-code.ts';
import { toTag } from '../../store/keys.ts';
import { pack } from '../../store/pack.ts';
import type { Store } from '../../store/store.ts';
import { runListScript } from '../../store/store.ts';

/** Spans of lanes that one call counts, at most: some milliseconds of work. */
const MAX_SPANS = 2_000;

type Reply = readonly [now: number, before: number, after: number, counts: readonly number[]];

/** Counts scheduled runs by when they are due, some lanes in each call. */
export async function countDueTimes(store: Store, query: DueTimesQuery): Promise<DueTimes> {
  const { from, bucketMs, buckets, lanes } = query;
  const tags =
    lanes === undefined
      ? ((await runListScript(store, scheduledLanesScript, [])) as readonly string[]) // what our own script returns
      : [...new Set(lanes.map(toTag))];
  const step = Math.max(1, Math.floor(MAX_SPANS / buckets));
  const counts = new Array<number>(buckets).fill(0);
  let [at, before, after] = [0, 0, 0];
  for (let index = 0; index === 0 || index < tags.length; index += step) {
    const asked = pack([from, bucketMs, buckets, tags.slice(index, index + step)]);
    const reply = (await runListScript(store, dueTimesScript, [asked])) as Reply; // what our own script returns
    at = reply[0];
    before += reply[1];
    after += reply[2];
    for (const [bucket, count] of reply[3].entries()) counts[bucket] = (counts[bucket] ?? 0) + count;
  }
  return {
    at,
    before: { count: before, isComplete: true },
    counts,
    after: { count: after, isComplete: true },
    completeUntil: from + bucketMs * buckets,
  };
}
