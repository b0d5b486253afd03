import type { Attendance, LaneDepth, WorkerFacts } from '@retry/core/broker';
import { readFacts, writeFacts } from '@retry/core/broker/kit';
import { countUpTo } from '../record/heap.ts';
import type { Lane, Store } from '../record/store.ts';

/** Waiting runs of a lane are counted up to this number. */
const MAX_COUNT = 10_000;

/** Records that a worker is alive; returns the lanes that have waiting runs and no worker that is alive. */
export function attend(store: Store, attendance: Attendance | undefined, now: number): readonly LaneDepth[] {
  if (attendance !== undefined) record(store, attendance, now);
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

/** Due runs count as waiting: only a claim of their lane would promote them, and it has no worker. */
function countWaiting({ ready, returned, scheduled }: Lane, now: number): number {
  const enqueued = ready.size + returned.length;
  return Math.min(enqueued + countUpTo(scheduled, now, MAX_COUNT - enqueued), MAX_COUNT);
}

function record(store: Store, { worker, lanes, ttlMs, facts }: Attendance, now: number): void {
  if (ttlMs > 0)
    store.attendances.set(worker, {
      lanes: [...lanes],
      facts: copyFacts(facts),
      at: now,
      until: now + ttlMs,
    });
  else store.attendances.delete(worker);
}

/** A copy that the caller cannot change any more. */
function copyFacts(facts: WorkerFacts | undefined): WorkerFacts | undefined {
  return readFacts(writeFacts(facts));
}
