import type { Broker } from '@retry/core/broker';
import { countInLanes } from '@retry/core/broker/kit';
import { readOptions } from '@retry/core/fields';
import { DeadLetterGrowth } from './dead-letter-growth.ts';
import type { Finding } from './findings.ts';
import { findingsOf } from './findings.ts';
import type { HealthOptions } from './health-options.ts';
import { HEALTH_KEYS, readHealthOptions } from './health-options.ts';
import type { Facts, Reading } from './readings.ts';
import { readFacts, readingsOf } from './readings.ts';

/** How a queue is. */
export interface Health {
  /** Whether there are no findings. */
  readonly isHealthy: boolean;
  /** What is above its threshold, or may be: critical findings first. */
  readonly findings: readonly Finding[];
  /** What was compared with thresholds, and what else is known. */
  readonly figures: HealthFigures;
}

/** Figures of a whole queue; of lanes and workers the worst. What is not known, or was not asked for, is absent. */
export interface HealthFigures {
  /** The broker's clock, in epoch milliseconds. */
  readonly at: number;
  /** How many lanes were looked at: those with runs that wait, a live worker or a hold, 1 000 at most. */
  readonly lanes: number;
  /** `false`: there are more lanes, runs or expired leases than were counted. */
  readonly isComplete: boolean;
  /** Submitted runs. */
  readonly waiting: number;
  /** Scheduled runs, those in `due` included. */
  readonly scheduled: number;
  /** Scheduled runs that are due: the next claim of their lane promotes them. */
  readonly due: number;
  /** Runs that a worker has claimed. */
  readonly started: number;
  /** Live workers. */
  readonly workers: number;
  /** Runs that failed, stalled for good or ended at a rate limit, and are kept. */
  readonly deadLetters: number;
  /** How many more they become each minute, since an earlier call of this queue, 1 s to 10 min ago; negative when they become fewer. */
  readonly deadLettersPerMinute?: number;
  /** Leases that have expired, up to 1 000. */
  readonly expiredLeases: number;
  /** Runs in lanes that no live worker knows. */
  readonly unattendedRuns: number;
  /** How long the next run of a lane has been claimable, in the lane where that is longest; absent where none is. */
  readonly oldestClaimableAgeMs?: number;
  /** The longest time after the instant at which it was due that an attempt has started lately, of any lane. */
  readonly maxLatenessMs?: number;
  /** The share of attempts that are retries, 0 to 1, in the lane where it is highest, if enough have started there. */
  readonly retryShare?: number;
  /** The share of the dead letters that are of one error group, 0 to 1; absent where there are few. */
  readonly largestGroupShare?: number;
  /** How long a lane, or all of them, has been on hold, where that is longest; absent without a hold. */
  readonly longestHoldMs?: number;
  /** How late timers fire, by the worker that reports most; absent where none does. */
  readonly eventLoopLagMs?: number;
  /** The share of its memory that the server uses, 0 to 1; absent where it is not limited. */
  readonly memoryShare?: number;
  /** How many runs the audit is unbalanced by; only with `audit: true`. */
  readonly unbalanced?: number;
}

/** The method of a queue that says how it is. */
export interface Observing {
  /**
   * Compares the figures of the queue with thresholds, and returns those that are above theirs, each with what to do. A call costs
   * reads of bounded size, however many runs there are; with `audit: true` also that of `counts`.
   *
   * @throws {InvalidOptionsError} when an option is wrong
   * @throws {InsightError} `NO_INSIGHT` when the broker has no `figures`
   */
  readonly health: (options?: HealthOptions) => Promise<Health>;
}

/** Creates the method of a queue that says how it is. */
export function createObserving(broker: Broker): Observing {
  const growth = new DeadLetterGrowth();
  return {
    health: async (options) => {
      const settings = readOptions(options, { subject: 'health', keys: HEALTH_KEYS }, readHealthOptions);
      const facts = await readFacts(broker, growth, settings);
      const readings = readingsOf(facts, settings);
      const findings = findingsOf(readings, settings);
      return { isHealthy: findings.length === 0, findings, figures: healthFigures(facts, readings) };
    },
  };
}

function healthFigures(facts: Facts, readings: readonly Reading[]): HealthFigures {
  const { report, deadLetters, deadLettersPerMinute, expiredLeases, unbalanced } = facts;
  const { at, lanes, workers } = report;
  const [waiting, scheduled] = [countInLanes(report, 'waiting'), countInLanes(report, 'scheduled')];
  const [due, started] = [countInLanes(report, 'due'), countInLanes(report, 'started')];
  const isComplete = [waiting, scheduled, due, started, expiredLeases].every((one) => one.isComplete);
  return {
    ...{ at, lanes: lanes.length, isComplete },
    ...{ waiting: waiting.count, scheduled: scheduled.count, due: due.count, started: started.count },
    ...{ workers: workers.length, deadLetters, expiredLeases: expiredLeases.count },
    ...(deadLettersPerMinute !== undefined && { deadLettersPerMinute }),
    ...worstOf(readings),
    ...(unbalanced !== undefined && { unbalanced }),
  };
}

type Worst = Pick<
  HealthFigures,
  | 'unattendedRuns'
  | 'oldestClaimableAgeMs'
  | 'maxLatenessMs'
  | 'retryShare'
  | 'largestGroupShare'
  | 'longestHoldMs'
  | 'eventLoopLagMs'
  | 'memoryShare'
>;

function worstOf(readings: readonly Reading[]): Worst {
  const figures = (check: Reading['check']): readonly number[] =>
    readings.filter((reading) => reading.check === check).map(({ figure }) => figure);
  const worst = <Key extends keyof Worst>(
    key: Key,
    check: Reading['check'],
  ): { readonly [K in Key]?: number } => {
    const all = figures(check);
    return all.length === 0 ? {} : ({ [key]: Math.max(...all) } as { [K in Key]: number }); // its only key
  };
  return {
    unattendedRuns: figures('LANE_WITHOUT_WORKER').reduce((total, one) => total + one, 0),
    ...worst('oldestClaimableAgeMs', 'OLDEST_AGE'),
    ...worst('maxLatenessMs', 'LATE_STARTS'),
    ...worst('retryShare', 'RETRY_SHARE'),
    ...worst('largestGroupShare', 'DOMINANT_GROUP'),
    ...worst('longestHoldMs', 'LANE_ON_HOLD'),
    ...worst('eventLoopLagMs', 'EVENT_LOOP_LAG'),
    ...worst('memoryShare', 'MEMORY_NEARLY_FULL'),
  };
}
