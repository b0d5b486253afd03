import type { Hold } from '../../hold.ts';
import type { Counted, LaneFigures, LaneRates, LaneReport, LanesQuery } from '../../insight/lanes.ts';
import type { LaneFlow, LiveWorker } from '../../insight/workers.ts';
import type { Notes } from '../../notes.ts';
import { listHolds } from '../holds.ts';
import { compareText } from '../storable/texts.ts';
import { listWorkers } from './attendance.ts';

/** The most lanes of one report. */
export const MAX_REPORTED_LANES = 1_000;

/** How many runs a broker has counted in one lane. */
export interface LaneCounts
  extends Pick<LaneFigures, 'lane' | 'waiting' | 'parked' | 'scheduled' | 'due' | 'started'> {
  /** When the run that has been claimable longest was due, in epoch milliseconds; absent when none is claimable. */
  readonly claimableSince?: number | undefined;
}

/** Where a report gets its parts from. */
export interface LaneSource {
  /** Lanes with runs that wait, perhaps others, and some more than once. */
  readonly names: () => Promise<Iterable<string>>;
  /** What is in these lanes, in their order, and the broker's clock. */
  readonly count: (
    lanes: readonly string[],
  ) => Promise<{ readonly at: number; readonly counts: readonly LaneCounts[] }>;
  /** What knows the holds and the workers. */
  readonly notes: Notes;
}

/** Returns the report of the lanes that are asked for. */
export async function reportLanes(source: LaneSource, query: LanesQuery = {}): Promise<LaneReport> {
  const [holds, workers, kept] = await Promise.all([
    listHolds(source),
    listWorkers(source),
    query.lanes === undefined ? source.names() : [],
  ]);
  const attended = workers.flatMap(({ lanes }) => lanes);
  const held = holds.flatMap(({ lane }) => (lane === undefined ? [] : [lane]));
  const named = new Set([...(query.lanes ?? [...attended, ...held])].sort(compareText));
  const names = [...new Set([...named, ...[...kept].sort(compareText)])];
  const { at, counts, isComplete } = await countReported(source, { names, named });
  const lanes = counts.map((one) => laneFigures(one, { at, holds, workers }));
  return { at, lanes, isComplete, holds, workers };
}

/** The lanes that one report looks at, at most: most of those that a broker names may be empty. */
const MAX_LOOK = 10_000;

interface Reported {
  readonly at: number;
  readonly counts: readonly LaneCounts[];
  readonly isComplete: boolean;
}

/** Counts lanes, in the order of their names, until there are as many to report as a report has. */
async function countReported(
  source: LaneSource,
  { names, named }: { readonly names: readonly string[]; readonly named: ReadonlySet<string> },
): Promise<Reported> {
  const reported: LaneCounts[] = [];
  let [at, looked] = [0, 0];
  do {
    const some = await source.count(names.slice(looked, looked + MAX_REPORTED_LANES));
    at = some.at;
    reported.push(
      ...some.counts.filter(
        ({ lane, waiting, scheduled }) => named.has(lane) || waiting.count > 0 || scheduled.count > 0,
      ),
    );
    looked += MAX_REPORTED_LANES;
  } while (looked < Math.min(names.length, MAX_LOOK) && reported.length <= MAX_REPORTED_LANES);
  return {
    at,
    counts: reported.slice(0, MAX_REPORTED_LANES).sort((left, right) => compareText(left.lane, right.lane)),
    isComplete: looked >= names.length && reported.length <= MAX_REPORTED_LANES,
  };
}

function laneFigures(
  { claimableSince, ...counts }: LaneCounts,
  { at, holds, workers }: Pick<LaneReport, 'at' | 'holds' | 'workers'>,
): LaneFigures {
  const { lane } = counts;
  const rates = ratesOf(lane, workers);
  return {
    ...counts,
    ...(claimableSince !== undefined && { oldestClaimableAgeMs: Math.max(0, at - claimableSince) }),
    holds: holdsOf(lane, holds),
    workers: workers.filter(({ lanes }) => lanes.includes(lane)).length,
    ...(rates !== undefined && { rates }),
  };
}

/** Returns the holds that keep a lane from starting: its own, and those of all lanes. */
function holdsOf(lane: string, holds: readonly Hold[]): readonly Hold[] {
  return holds.filter((hold) => hold.lane === undefined || hold.lane === lane);
}

/** Adds up what the workers of a lane did; `undefined` when none of them has said. */
function ratesOf(lane: string, workers: readonly LiveWorker[]): LaneRates | undefined {
  const none = { count: 0, perSecond: 0 };
  const sums = { starts: { ...none }, retries: { ...none }, ends: { ...none } };
  let [windowMs, maxLatenessMs] = [0, 0];
  for (const { lanes, facts } of workers) {
    if (facts?.flow === undefined || !(facts.flow.windowMs > 0) || !lanes.includes(lane)) continue;
    windowMs = Math.max(windowMs, facts.flow.windowMs);
    const own = facts.flow.lanes.find((one) => one.lane === lane) ?? NO_FLOW;
    for (const key of ['starts', 'retries', 'ends'] as const) {
      sums[key].count += own[key];
      sums[key].perSecond += (own[key] * 1000) / facts.flow.windowMs;
    }
    maxLatenessMs = Math.max(maxLatenessMs, own.maxLatenessMs);
  }
  if (windowMs === 0) return undefined;
  return {
    starts: { ...sums.starts, windowMs },
    retries: { ...sums.retries, windowMs },
    out: { ...sums.ends, windowMs },
    maxLatenessMs,
  };
}

const NO_FLOW: Omit<LaneFlow, 'lane'> = { starts: 0, retries: 0, ends: 0, maxLatenessMs: 0 };

/** Returns the sum of two counts of different runs. */
export function addCounted(one: Counted, other: Counted): Counted {
  return { count: one.count + other.count, isComplete: one.isComplete && other.isComplete };
}

/** Returns how many runs of one kind all lanes of a report have: at least so many where lanes are left out. */
export function countInLanes(
  { lanes, isComplete }: Pick<LaneReport, 'lanes' | 'isComplete'>,
  kind: 'waiting' | 'scheduled' | 'due' | 'started',
): Counted {
  return lanes.map((lane) => lane[kind]).reduce(addCounted, { count: 0, isComplete });
}
