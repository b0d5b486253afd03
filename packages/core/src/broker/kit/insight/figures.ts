import type { Figures, FiguresQuery, ReadFigures } from '../../insight/figures.ts';
import type { LaneFigures, LaneReport, Rate } from '../../insight/lanes.ts';

/** The functions by which a broker answers each kind of figures. */
export type FigureSources = {
  readonly [Kind in Exclude<keyof Figures, 'memory'>]: (
    query: NonNullable<FiguresQuery[Kind]>,
  ) => Promise<Figures[Kind]>;
} & {
  /** Absent: the memory of the server is not limited. */
  readonly memory?: () => Promise<Figures['memory']>;
};

/** Returns the verb that asks these functions, at the same time, for what its query names. */
export function figuresBy(sources: FigureSources): ReadFigures {
  return async ({ lanes, attempts, dueTimes, groups, memory }) => {
    const answers = await Promise.all([
      lanes && answerAs('lanes', sources.lanes(lanes)),
      attempts && answerAs('attempts', sources.attempts(attempts)),
      dueTimes && answerAs('dueTimes', sources.dueTimes(dueTimes)),
      groups && answerAs('groups', sources.groups(groups)),
      memory && answerAs('memory', sources.memory?.()),
    ]);
    return Object.assign({}, ...answers); // an answer to each that was asked
  };
}

async function answerAs<Kind extends keyof Figures>(
  kind: Kind,
  answer: Promise<Figures[Kind]> | undefined,
): Promise<Partial<Figures>> {
  return { [kind]: await answer };
}

/** Two calls that are nearer to each other than this say nothing about a rate, in milliseconds. */
const MIN_WINDOW_MS = 1_000;

/** A call that is longer ago is forgotten, in milliseconds. */
const MAX_WINDOW_MS = 600_000;

/** How many runs a lane had. */
interface Seen {
  readonly at: number;
  readonly runs: number;
  /** What that call said, for those that follow it too soon. */
  readonly rateIn?: Rate;
}

/**
 * Returns the same sources with the rate at which runs come into each lane: the rate at which they end, and the difference
 * between what the lane has now and what it had at an earlier call. Remembers one figure of each lane.
 */
export function withEntryRates(sources: FigureSources): FigureSources {
  const seen = new Map<string, Seen>();
  return {
    ...sources,
    lanes: async (query) => {
      const report = await sources.lanes(query);
      for (const [lane, { at }] of seen) if (report.at - at > MAX_WINDOW_MS) seen.delete(lane);
      return { ...report, lanes: report.lanes.map((figures) => withEntryRate(figures, report, seen)) };
    },
  };
}

function withEntryRate(figures: LaneFigures, { at }: LaneReport, seen: Map<string, Seen>): LaneFigures {
  const { lane, waiting, scheduled, started, rates } = figures;
  const before = seen.get(lane);
  if (!waiting.isComplete || !scheduled.isComplete || !started.isComplete) {
    seen.delete(lane);
    return figures;
  }
  if (before !== undefined && at - before.at < MIN_WINDOW_MS) return withRate(figures, before.rateIn);
  const runs = waiting.count + scheduled.count + started.count;
  const rateIn = before && rates && rateBetween(before, { at, runs }, rates.out.perSecond);
  seen.set(lane, rateIn === undefined ? { at, runs } : { at, runs, rateIn });
  return withRate(figures, rateIn);
}

function withRate(figures: LaneFigures, rateIn: Rate | undefined): LaneFigures {
  return rateIn === undefined ? figures : { ...figures, rateIn };
}

function rateBetween(before: Seen, { at, runs }: Seen, outPerSecond: number): Rate {
  const windowMs = at - before.at;
  return { perSecond: Math.max(0, outPerSecond + ((runs - before.runs) * 1000) / windowMs), windowMs };
}
