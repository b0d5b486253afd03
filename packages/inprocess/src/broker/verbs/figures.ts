import type { Counted, DueTimes, DueTimesQuery, Notes } from '@retry/core/broker';
import type { FigureSources, LaneCounts } from '@retry/core/broker/kit';
import { countAttempts, reportLanes, withEntryRates } from '@retry/core/broker/kit';
import { listGroups } from '../record/error-groups.ts';
import { countUpTo } from '../record/heap.ts';
import { namesOfWaiting, nextOf, scheduledEntries, waitingIn } from '../record/lanes.ts';
import type { Lane, Store } from '../record/store.ts';
import { listRuns } from './list.ts';

/** Answers one call, at one instant. */
type Call = <Answer>(answer: (now: number) => Answer) => Promise<Answer>;

/** Returns what operators ask about the store. */
export function createFigures(store: Store, call: Call, notes: Notes): FigureSources {
  return withEntryRates({
    lanes: (query) =>
      reportLanes(
        {
          names: () => call(() => namesOfWaiting(store)),
          count: (lanes) => call((at) => ({ at, counts: countLanes(store, lanes, at) })),
          notes,
        },
        query,
      ),
    attempts: (query) => countAttempts((page) => call(() => listRuns(store, page)), query),
    dueTimes: (query) => call((at) => countDueTimes(store, query, at)),
    groups: (query) => call(() => listGroups(store, query)),
  });
}

/** Counts scheduled runs by when they are due. */
function countDueTimes(store: Store, query: DueTimesQuery, at: number): DueTimes {
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

/** Counts what is in each of these lanes. */
function countLanes(store: Store, lanes: readonly string[], now: number): readonly LaneCounts[] {
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
