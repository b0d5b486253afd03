import type { Attendance, LaneDepth } from '@retry/core/broker';
import { countUpTo } from '../record/heap.ts';
import type { Lane } from '../record/lanes.ts';
import type { Store } from '../record/store.ts';

/** Waiting runs are counted up to this number. */
const COUNTED = 10_000;

/** Notes that a worker is alive, and gives the lanes whose waiting runs no worker that is alive works on. */
export function attend(store: Store, attendance: Attendance | undefined, now: number): readonly LaneDepth[] {
  if (attendance !== undefined) note(store, attendance, now);
  const attended = new Set<string>();
  for (const [worker, { lanes, until }] of store.attendances) {
    if (until <= now) store.attendances.delete(worker);
    else for (const lane of lanes) attended.add(lane);
  }
  const depths: LaneDepth[] = [];
  for (const lane of store.lanes.values()) {
    const waiting = attended.has(lane.name) ? 0 : countWaiting(lane, now);
    if (waiting > 0) depths.push({ lane: lane.name, waiting });
  }
  return depths;
}

/** Runs that are due wait as well: only a claim of their lane, which no worker makes, would promote them. */
function countWaiting({ ready, returned, scheduled }: Lane, now: number): number {
  const ranked = ready.size + returned.length;
  return Math.min(ranked + countUpTo(scheduled, now, COUNTED - ranked), COUNTED);
}

function note(store: Store, { worker, lanes, ttlMs }: Attendance, now: number): void {
  if (ttlMs > 0) store.attendances.set(worker, { lanes, until: now + ttlMs });
  else store.attendances.delete(worker);
}
