import type { Broker, DueTimes, ErrorGroup, GroupPage, GroupsQuery, ServerMemory } from '@retry/core/broker';
import type { FigureSources, LaneCounts, LaneSource } from '@retry/core/broker/kit';
import { addCounted, countAttempts, pageOfGroups, reportLanes } from '@retry/core/broker/kit';
import type { Parts } from './create-partition.ts';

/** Joins what operators ask about several partitions. The notes of the first one know the workers. */
export function joinFigures(parts: Parts, { list, notes }: Pick<Broker, 'list' | 'notes'>): FigureSources {
  const sources = parts.map(({ ownFigures }) => ownFigures);
  const source = { ...joinLaneCounts(parts), notes };
  const all = <Answer>(ask: (source: FigureSources) => Promise<Answer>) => Promise.all(sources.map(ask));
  return {
    lanes: (query) => reportLanes(source, query),
    attempts: (query) => countAttempts(list, query),
    dueTimes: async (query) => (await all((one) => one.dueTimes(query))).reduce(addDueTimes),
    groups: (query) => groupsOfParts(sources, query),
    memory: () => memoryOf(sources),
  };
}

/** More partitions than these are not asked: what the queue has is estimated from them. */
const MAX_ASKED = 16;

/** Returns the memory of the fullest server; what the queue has of it is what it has of all, at most. */
async function memoryOf(sources: readonly FigureSources[]): Promise<ServerMemory | undefined> {
  const asked = sources.slice(0, MAX_ASKED);
  const found = (await Promise.all(asked.map((one) => one.memory?.()))).filter((one) => one !== undefined);
  const [fullest] = found.sort(
    (left, right) => right.usedBytes / right.maxBytes - left.usedBytes / left.maxBytes,
  );
  if (fullest === undefined || found.some(({ ownBytes }) => ownBytes === undefined)) return fullest;
  const own = found.reduce((sum, { ownBytes = 0 }) => sum + ownBytes, 0) * (sources.length / asked.length);
  return { ...fullest, ownBytes: Math.min(fullest.usedBytes, Math.round(own)) };
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

/** How many groups are read in one call. */
const PAGE = 1_000;

/** Returns a page of the groups of several partitions: those of one lane and id are one. */
async function groupsOfParts(parts: readonly FigureSources[], query: GroupsQuery): Promise<GroupPage> {
  const lists = await Promise.all(parts.map((part) => allGroups(part, query)));
  const joined = new Map<string, ErrorGroup>();
  for (const group of lists.flat()) {
    const key = JSON.stringify([group.lane, group.id]);
    const known = joined.get(key);
    joined.set(key, known === undefined ? group : joinGroups(known, group));
  }
  return pageOfGroups('redis partitions', query, [...joined.values()]);
}

async function allGroups(
  part: FigureSources,
  { lane }: Pick<GroupsQuery, 'lane'>,
): Promise<readonly ErrorGroup[]> {
  const found: ErrorGroup[] = [];
  const query = { limit: PAGE, ...(lane !== undefined && { lane }) };
  for (let after: string | undefined; ; ) {
    const page = await part.groups(after === undefined ? query : { ...query, after });
    found.push(...page.groups);
    if (page.next === undefined) return found;
    after = page.next;
  }
}

/** Returns a group of two partitions as one. */
function joinGroups(one: ErrorGroup, other: ErrorGroup): ErrorGroup {
  const later = other.lastSeenAt > one.lastSeenAt ? other : one;
  return {
    ...later,
    count: one.count + other.count,
    attempts: one.attempts + other.attempts,
    firstSeenAt: Math.min(one.firstSeenAt, other.firstSeenAt),
  };
}
