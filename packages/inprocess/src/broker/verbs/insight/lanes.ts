import type { Counted } from '@retry/core/broker';
import type { LaneCounts } from '@retry/core/broker/kit';
import { countUpTo } from '../../record/heap.ts';
import { nextOf, waitingIn } from '../../record/lanes.ts';
import type { Lane, Store } from '../../record/store.ts';

/** Counts what is in each of these lanes. */
export function countLanes(store: Store, lanes: readonly string[], now: number): readonly LaneCounts[] {
  const parked = countParked(store);
  const started = new Map<string, number>();
  for (const { lane } of store.leases) started.set(lane.name, (started.get(lane.name) ?? 0) + 1);
  return lanes.map((name) => {
    const lane = store.lanes.get(name);
    const aside = parked.get(name) ?? 0;
    const due = lane === undefined ? 0 : countUpTo(lane.scheduled, now, Infinity);
    return {
      lane: name,
      waiting: all((lane === undefined ? 0 : waitingIn(lane)) + aside),
      parked: all(aside),
      scheduled: all(lane?.scheduled.length ?? 0),
      due: all(due),
      started: all(started.get(name) ?? 0),
      claimableSince: lane && claimableSince(lane, now),
    };
  });
}

function all(count: number): Counted {
  return { count, isComplete: true };
}

function countParked({ keys }: Store): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { parkings } of keys.values()) {
    for (const { lane, parked } of parkings)
      counts.set(lane.name, (counts.get(lane.name) ?? 0) + parked.length);
  }
  return counts;
}

/** When the next run of the lane was due, or the first one of its schedule, if it is. */
function claimableSince(lane: Lane, now: number): number | undefined {
  const scheduledFor = lane.scheduled[0]?.rank ?? Infinity;
  const since = Math.min(nextOf(lane)?.run.runAt ?? Infinity, scheduledFor <= now ? scheduledFor : Infinity);
  return since === Infinity ? undefined : since;
}
