import type {
  Broker,
  Counted,
  ErrorGroup,
  ErrorGroupName,
  LaneReport,
  Run,
  ServerMemory,
} from '@retry/core/broker';
import { addCounted, MAX_BATCH_BYTES, runBytes } from '@retry/core/broker/kit';
import { figuresOf } from '../../broker.ts';
import type { DeadLetterGrowth } from './dead-letter-growth.ts';
import type { HealthSettings } from './health-options.ts';
import { MAX_EXPIRED } from './health-options.ts';

/** What a figure is about. Without any of these it is about the whole queue. */
export interface Subject {
  /** `name@version`; present where the figure is that of one lane. */
  readonly lane?: string;
  /** The name of the worker; only of `EVENT_LOOP_LAG`. */
  readonly worker?: string;
  /** The largest error group; only of `DOMINANT_GROUP`. */
  readonly group?: ErrorGroupName;
  /** How full the server is; only of `MEMORY_NEARLY_FULL`. */
  readonly memory?: ServerMemory;
}

/** What can be found. */
export type Check =
  | 'LANE_WITHOUT_WORKER'
  | 'UNBALANCED'
  | 'MEMORY_NEARLY_FULL'
  | 'EXPIRED_LEASES'
  | 'MANY_LANES'
  | 'OLDEST_AGE'
  | 'LATE_STARTS'
  | 'RETRY_SHARE'
  | 'DEAD_LETTERS_GROW'
  | 'DOMINANT_GROUP'
  | 'LANE_ON_HOLD'
  | 'EVENT_LOOP_LAG';

/** One figure that has a threshold. */
export interface Reading extends Subject {
  readonly check: Check;
  readonly figure: number;
  /** `false`: it is a count that ended at a bound, and there are at least so many. */
  readonly isComplete?: boolean;
}

/** What a broker answered. */
export interface Facts {
  readonly report: LaneReport;
  /** The error group with most dead letters. */
  readonly largest: ErrorGroup | undefined;
  readonly deadLetters: number;
  readonly deadLettersPerMinute: number | undefined;
  /** The expired leases, {@link MAX_EXPIRED} at most. */
  readonly expiredLeases: Counted;
  readonly unbalanced: number | undefined;
  /** The memory of a server that keeps everything in it, where that is limited. */
  readonly memory: ServerMemory | undefined;
}

/** Asks a broker by calls of bounded cost, and its audit if that is wanted. @throws {InsightError} `NO_INSIGHT` */
export async function readFacts(
  broker: Broker,
  growth: DeadLetterGrowth,
  { audit }: Pick<HealthSettings, 'audit'>,
): Promise<Facts> {
  const figures = figuresOf(broker, 'queue.health');
  const [asked, expired, audited] = await Promise.all([
    ask(() => figures({ lanes: {}, groups: { limit: 1 }, memory: true })),
    ask(() => broker.findExpired(MAX_EXPIRED)),
    audit ? ask(() => broker.audit()) : undefined,
  ]);
  const { lanes: report, groups, memory } = asked;
  const { deadLetters } = groups;
  return {
    ...{ report, deadLetters, largest: groups.groups[0] },
    deadLettersPerMinute: growth.perMinute({ at: report.at, deadLetters }),
    expiredLeases: countExpired(expired),
    unbalanced: audited?.unbalanced,
    memory,
  };
}

/** A page of runs ends at {@link MAX_BATCH_BYTES}: one that has half as much may have been cut, so that its length is a lower bound. */
function countExpired(runs: readonly Run[]): Counted {
  const bytes = runs.reduce((sum, run) => sum + runBytes(run), 0);
  return { count: runs.length, isComplete: runs.length < MAX_EXPIRED && bytes < MAX_BATCH_BYTES / 2 };
}

/** A call that throws at once rejects as well: the answers of the calls before it are awaited. */
async function ask<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  return call();
}

/** Returns every figure that has a threshold; none that is not known. */
export function readingsOf(facts: Facts, settings: HealthSettings): readonly Reading[] {
  const { deadLettersPerMinute: growth, unbalanced, report } = facts;
  return [
    ...laneReadings(facts, settings),
    ...(unbalanced === undefined ? [] : [{ check: 'UNBALANCED', figure: unbalanced } as const]),
    ...memoryReadings(facts),
    countReading('EXPIRED_LEASES', facts.expiredLeases),
    countReading('MANY_LANES', { count: report.lanes.length, isComplete: report.isComplete }),
    ...(growth === undefined ? [] : [{ check: 'DEAD_LETTERS_GROW', figure: growth } as const]),
    ...groupReadings(facts, settings),
    ...holdReadings(facts),
    ...report.workers.flatMap(({ worker, facts: said }): Reading[] =>
      said?.eventLoopLagMs === undefined
        ? []
        : [{ check: 'EVENT_LOOP_LAG', figure: said.eventLoopLagMs, worker }],
    ),
  ];
}

function countReading(check: Check, { count, isComplete }: Counted, subject: Subject = {}): Reading {
  return { check, figure: count, isComplete, ...subject };
}

function memoryReadings({ memory }: Facts): readonly Reading[] {
  if (memory === undefined) return [];
  return [{ check: 'MEMORY_NEARLY_FULL', figure: memory.usedBytes / memory.maxBytes, memory }];
}

function laneReadings({ report }: Facts, { minStarts, holdAge }: HealthSettings): readonly Reading[] {
  return report.lanes.flatMap(
    ({ lane, workers, waiting, due, holds, oldestClaimableAgeMs: ageMs = -1, rates }) => {
      const found: Reading[] = [];
      if (workers === 0) found.push(countReading('LANE_WITHOUT_WORKER', addCounted(waiting, due), { lane }));
      // What a hold keeps waiting is no lack of workers, unless one short hold after another does so for longer than any of them may last.
      const isExcused = holds.some(({ heldAt }) => ageMs <= holdAge || report.at - heldAt > holdAge);
      if (ageMs >= 0 && !isExcused) found.push({ check: 'OLDEST_AGE', figure: ageMs, lane });
      if (rates === undefined) return found;
      found.push({ check: 'LATE_STARTS', figure: rates.maxLatenessMs, lane });
      const { starts, retries } = rates;
      if (starts.count > 0 && starts.count >= minStarts)
        found.push({ check: 'RETRY_SHARE', figure: retries.count / starts.count, lane });
      return found;
    },
  );
}

function groupReadings(
  { largest, deadLetters }: Facts,
  { minDeadLetters }: HealthSettings,
): readonly Reading[] {
  if (largest === undefined || deadLetters < minDeadLetters) return [];
  const { id, title, lane, count } = largest;
  return [{ check: 'DOMINANT_GROUP', figure: count / deadLetters, lane, group: { id, title } }];
}

/** The oldest hold of each lane, and of all lanes. */
function holdReadings({ report: { holds, at } }: Facts): readonly Reading[] {
  const ages = new Map<string | undefined, number>();
  for (const { lane, heldAt } of holds) ages.set(lane, Math.max(ages.get(lane) ?? 0, at - heldAt));
  return [...ages].map(([lane, figure]) => ({
    ...({ check: 'LANE_ON_HOLD', figure } as const),
    ...(lane !== undefined && { lane }),
  }));
}
