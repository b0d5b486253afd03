import type {
  Broker,
  DueTimes,
  ErrorGroup,
  GroupPage,
  GroupsQuery,
  Hold,
  LaneFigures,
  LaneReport,
  ServerMemory,
} from '@retry/core/broker';
import type { FigureSources } from '@retry/core/broker/kit';
import {
  addCounted,
  compareText,
  countAttempts,
  holdsOf,
  listHolds,
  MAX_REPORTED_LANES,
  pageOfGroups,
} from '@retry/core/broker/kit';
import type { Parts } from './create-partition.ts';

/** Joins what operators ask about several partitions. The notes of the first one know the workers. */
export function joinFigures(parts: Parts, { list, notes }: Pick<Broker, 'list' | 'notes'>): FigureSources {
  const sources = parts.map(({ ownFigures }) => ownFigures);
  const all = <Answer>(ask: (source: FigureSources) => Promise<Answer>) => Promise.all(sources.map(ask));
  return {
    lanes: async (query) => joinReports(await all((one) => one.lanes(query)), await listHolds({ notes })),
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

function joinReports(reports: readonly LaneReport[], holds: readonly Hold[]): LaneReport {
  const joined = new Map<string, LaneFigures>();
  for (const figures of reports.flatMap(({ lanes }) => lanes)) {
    const known = joined.get(figures.lane);
    joined.set(figures.lane, known === undefined ? figures : addFigures(known, figures));
  }
  const lanes = [...joined.values()]
    .sort((left, right) => compareText(left.lane, right.lane))
    .map((figures) => ({ ...figures, holds: holdsOf(figures.lane, holds) }));
  return {
    at: Math.max(...reports.map(({ at }) => at)),
    lanes: lanes.slice(0, MAX_REPORTED_LANES),
    isComplete: lanes.length <= MAX_REPORTED_LANES && reports.every(({ isComplete }) => isComplete),
  };
}

/** One of them knows the workers, and what they did. */
function addFigures(one: LaneFigures, other: LaneFigures): LaneFigures {
  const ages = [one, other].flatMap(({ oldestClaimableAgeMs: age }) => (age === undefined ? [] : [age]));
  const rates = one.rates ?? other.rates;
  return {
    lane: one.lane,
    waiting: addCounted(one.waiting, other.waiting),
    parked: addCounted(one.parked, other.parked),
    scheduled: addCounted(one.scheduled, other.scheduled),
    due: addCounted(one.due, other.due),
    started: addCounted(one.started, other.started),
    ...(ages.length > 0 && { oldestClaimableAgeMs: Math.max(...ages) }),
    holds: one.holds,
    workers: Math.max(one.workers, other.workers),
    ...(rates !== undefined && { rates }),
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
