import type {
  Broker,
  ErrorGroup,
  ErrorGroupName,
  Hold,
  LaneFlow,
  LaneReport,
  LiveWorker,
  ServerMemory,
} from '@retry/core/broker';
import { listHolds, listWorkers } from '@retry/core/broker/kit';
import { figuresOf } from '../figures-of.ts';
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
}

/** What a broker answered. */
export interface Facts {
  readonly report: LaneReport;
  readonly workers: readonly LiveWorker[];
  readonly holds: readonly Hold[];
  /** The error group with most dead letters. */
  readonly largest: ErrorGroup | undefined;
  readonly deadLetters: number;
  readonly deadLettersPerMinute: number | undefined;
  /** At most {@link MAX_EXPIRED}. */
  readonly expiredLeases: number;
  readonly unbalanced: number | undefined;
  /** Of a server that keeps everything in memory, where that is limited. */
  readonly memory: ServerMemory | undefined;
}

/** Asks a broker by calls of bounded cost, and its audit if that is wanted. @throws {InsightError} `NO_INSIGHT` */
export async function readFacts(
  broker: Broker,
  growth: DeadLetterGrowth,
  { audit }: Pick<HealthSettings, 'audit'>,
): Promise<Facts> {
  const figures = figuresOf(broker, 'queue.health');
  const [asked, workers, holds, expired, audited] = await Promise.all([
    ask(() => figures({ lanes: {}, groups: { limit: 1 }, memory: true })),
    ask(() => listWorkers(broker)),
    ask(() => listHolds(broker)),
    ask(() => broker.findExpired(MAX_EXPIRED)),
    audit ? ask(() => broker.audit()) : undefined,
  ]);
  const { lanes: report, groups, memory } = asked;
  const { deadLetters } = groups;
  return {
    ...{ report, workers, holds, deadLetters, largest: groups.groups[0] },
    deadLettersPerMinute: growth.perMinute({ at: report.at, deadLetters }),
    expiredLeases: expired.length,
    unbalanced: audited?.unbalanced,
    memory,
  };
}

/** A call that throws at once rejects as well: the answers of the calls before it are awaited. */
async function ask<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  return call();
}

/** Returns every figure that has a threshold; none that is not known. */
export function readingsOf(facts: Facts, settings: HealthSettings): readonly Reading[] {
  const { deadLettersPerMinute: growth, unbalanced } = facts;
  return [
    ...laneReadings(facts, settings),
    ...(unbalanced === undefined ? [] : [{ check: 'UNBALANCED', figure: unbalanced } as const]),
    ...memoryReadings(facts),
    { check: 'EXPIRED_LEASES', figure: facts.expiredLeases },
    ...(growth === undefined ? [] : [{ check: 'DEAD_LETTERS_GROW', figure: growth } as const]),
    ...groupReadings(facts, settings),
    ...holdReadings(facts),
    ...facts.workers.flatMap(({ worker, facts: said }): Reading[] =>
      said?.eventLoopLagMs === undefined
        ? []
        : [{ check: 'EVENT_LOOP_LAG', figure: said.eventLoopLagMs, worker }],
    ),
  ];
}

function memoryReadings({ memory }: Facts): readonly Reading[] {
  if (memory === undefined) return [];
  return [{ check: 'MEMORY_NEARLY_FULL', figure: memory.usedBytes / memory.maxBytes, memory }];
}

function laneReadings(
  { report, workers: live }: Facts,
  { minStarts, holdAge }: HealthSettings,
): readonly Reading[] {
  return report.lanes.flatMap(({ lane, workers, waiting, due, holds, oldestClaimableAgeMs, rates }) => {
    const found: Reading[] = [];
    if (workers === 0) found.push({ check: 'LANE_WITHOUT_WORKER', figure: waiting.count + due.count, lane });
    const heldMs = Math.max(0, ...holds.map(({ heldAt }) => report.at - heldAt));
    // What a hold keeps waiting is no lack of workers. One hold after another may do so for longer than any of them lasts.
    const isHeldAgain = heldMs <= holdAge && (oldestClaimableAgeMs ?? 0) > holdAge;
    if (oldestClaimableAgeMs !== undefined && (holds.length === 0 || isHeldAgain))
      found.push({ check: 'OLDEST_AGE', figure: oldestClaimableAgeMs, lane });
    if (rates === undefined) return found;
    found.push({ check: 'LATE_STARTS', figure: rates.maxLatenessMs, lane });
    const { starts, retries } = startsIn(lane, live);
    if (starts > 0 && starts >= minStarts)
      found.push({ check: 'RETRY_SHARE', figure: retries / starts, lane });
    return found;
  });
}

/** Returns how many attempts the workers of a lane started, each in its own window, and how many of these were retries. */
function startsIn(lane: string, workers: readonly LiveWorker[]): Pick<LaneFlow, 'starts' | 'retries'> {
  const flows = workers.flatMap(({ facts }) => facts?.flow?.lanes.filter((flow) => flow.lane === lane) ?? []);
  const sum = (key: 'starts' | 'retries') => flows.reduce((total, flow) => total + flow[key], 0);
  return { starts: sum('starts'), retries: sum('retries') };
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
function holdReadings({ holds, report }: Facts): readonly Reading[] {
  const ages = new Map<string | undefined, number>();
  for (const { lane, heldAt } of holds) ages.set(lane, Math.max(ages.get(lane) ?? 0, report.at - heldAt));
  return [...ages].map(([lane, figure]) => ({
    ...({ check: 'LANE_ON_HOLD', figure } as const),
    ...(lane !== undefined && { lane }),
  }));
}
