import type { LaneDepth } from '@retry/core/broker';
import { countUpTo } from '../record/heap.ts';
import { waitingIn } from '../record/lanes.ts';
import type { Lane, Store } from '../record/store.ts';

/** Waiting runs of a lane are counted up to this number. */
const MAX_COUNT = 10_000;

/** Returns how many runs wait in each of these lanes. */
export function countDepths(store: Store, lanes: readonly string[], now: number): readonly LaneDepth[] {
  return lanes.flatMap((name) => {
    const lane = store.lanes.get(name);
    return lane === undefined ? [] : [{ lane: name, waiting: countWaiting(lane, now) }];
  });
}

/** Due runs count as waiting: only a claim of their lane would promote them, and it has no worker. */
function countWaiting(lane: Lane, now: number): number {
  const enqueued = waitingIn(lane);
  return Math.min(enqueued + countUpTo(lane.scheduled, now, MAX_COUNT - enqueued), MAX_COUNT);
}
