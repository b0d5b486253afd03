import type { Broker, DueTimes } from '@retry/core/broker';
import type { FigureSources, LaneCounts, LaneSource } from '@retry/core/broker/kit';
import { addCounted, countAttempts, reportLanes } from '@retry/core/broker/kit';
import { fullestOf, listGroups } from '../verbs/figures.ts';
import type { Parts } from './create-partition.ts';

/** Joins what operators ask about several partitions. The notes of the first one know the workers. */
export function joinFigures(parts: Parts, { list, notes }: Pick<Broker, 'list' | 'notes'>): FigureSources {
  const source = { ...joinLaneCounts(parts), notes };
  const groups = parts.map(({ ownGroups }) => ownGroups);
  return {
    lanes: (query) => reportLanes(source, query),
    attempts: (query) => countAttempts(list, query),
    dueTimes: async (query) =>
      (await Promise.all(parts.map(({ ownFigures }) => ownFigures.dueTimes(query)))).reduce(addDueTimes),
    groups: (query) => listGroups(groups, 'redis partitions', query),
    memory: () => fullestOf(parts.map(({ ownMemory }) => ownMemory)),
  };
}

/** Counts the lanes of all partitions: each is asked by name, also where nothing waits in its part of the lane. */
function joinLaneCounts(parts: Parts): Pick<LaneSource, 'names' | 'count'> {
  return {
    names: async () =>
      (await Promise.all(parts.map(({ ownLaneCounts }) => ownLaneCounts.names()))).flatMap((some) => [
        ...some,
      ]),
    count: async (lanes) => {
      const all = await Promise.all(parts.map(({ ownLaneCounts }) => ownLaneCounts.count(lanes)));
      const joined = new Map<string, LaneCounts>();
      for (const counts of all.flatMap((one) => one.counts)) {
        const known = joined.get(counts.lane);
        joined.set(counts.lane, known === undefined ? counts : addLaneCounts(known, counts));
      }
      return { at: Math.max(...all.map(({ at }) => at)), counts: [...joined.values()] };
    },
  };
}

function addLaneCounts(one: LaneCounts, other: LaneCounts): LaneCounts {
  const since = Math.min(one.claimableSince ?? Infinity, other.claimableSince ?? Infinity);
  return {
    lane: one.lane,
    waiting: addCounted(one.waiting, other.waiting),
    parked: addCounted(one.parked, other.parked),
    scheduled: addCounted(one.scheduled, other.scheduled),
    due: addCounted(one.due, other.due),
    started: addCounted(one.started, other.started),
    claimableSince: since === Infinity ? undefined : since,
  };
}

function addDueTimes(one: DueTimes, other: DueTimes): DueTimes {
  return {
    at: Math.max(one.at, other.at),
    before: addCounted(one.before, other.before),
    counts: one.counts.map((count, index) => count + (other.counts[index] ?? 0)),
    after: addCounted(one.after, other.after),
    completeUntil: Math.min(one.completeUntil, other.completeUntil),
  };
}
