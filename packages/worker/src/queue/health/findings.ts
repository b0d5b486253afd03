import { formatDuration } from '@retry/core';
import { MAX_REPORTED_LANES } from '@retry/core/broker/kit';
import { taskOfLane } from '../../task/lane.ts';
import type { HealthSettings } from './health-options.ts';
import type { Check, Reading, Subject } from './readings.ts';

/** A figure that is above its threshold, or may be. */
export interface Finding extends Subject {
  /** Stable: what the figure is. */
  readonly code: Check;
  /** `critical`: runs do not start at all, or a figure can only be wrong. */
  readonly level: 'warning' | 'critical';
  /** The name of the task of `lane`. */
  readonly task?: string;
  /** The version of that task. */
  readonly version?: string;
  /** The figure in milliseconds, runs, lanes, runs a minute, or as a share from 0 to 1, as the threshold is. */
  readonly figure: number;
  /** `false`: counting ended at a bound, and there are at least `figure`: whether that is above the threshold may not be known. */
  readonly isComplete?: false;
  /** What is accepted, by the options of `queue.health` or their defaults; 0 for `UNBALANCED`. */
  readonly threshold: number;
  /** What is wrong. */
  readonly sentence: string;
  /** What to do. */
  readonly cure: string;
}

/** How a check is judged and worded. */
interface Rule {
  readonly level: Finding['level'];
  readonly threshold: (settings: HealthSettings) => number;
  readonly show: (figure: number) => string;
  /** @param figure - as `show` writes it, like the threshold; `At least …` where it is a lower bound */
  readonly sentence: (figure: string, threshold: string, subject: Subject) => string;
  readonly cure: string;
}

const count = (figure: number): string => `${Math.round(figure * 10) / 10}`;
const isOne = (figure: string): boolean => /^(At least )?1$/.test(figure);
const share = (figure: number): string => `${Math.round(figure * 1_000) / 10} %`;

const MIB = 2 ** 20;
const mib = (bytes = 0): string => `${Math.round(bytes / MIB)} MiB`;
const ofQueue = (memory: Subject['memory']): string =>
  memory?.ownBytes === undefined ? '' : `, about ${mib(memory.ownBytes)} of them of this queue`;

const RULES: Readonly<Record<Check, Rule>> = {
  LANE_WITHOUT_WORKER: {
    level: 'critical',
    threshold: ({ unattendedRuns }) => unattendedRuns,
    show: count,
    sentence: (figure, _, { lane }) =>
      `${figure} ${isOne(figure) ? 'run is' : 'runs are'} due in lane ${lane}, which no live worker knows.`,
    cure: 'Start a worker that has this version of the task, or cancel the runs.',
  },
  UNBALANCED: {
    level: 'critical',
    threshold: () => 0,
    show: count,
    sentence: (figure) => `The audit is unbalanced by ${figure}.`,
    cure: 'Save the output of queue.counts() and report it: the broker has a bug, or another program wrote to its keys or tables.',
  },
  MEMORY_NEARLY_FULL: {
    level: 'warning',
    threshold: ({ memoryShare }) => memoryShare,
    show: share,
    sentence: (figure, threshold, { memory }) =>
      `The server uses ${figure} of its memory (${mib(memory?.usedBytes)} of ${mib(memory?.maxBytes)}${ofQueue(memory)}); ${threshold} are accepted. When it is full, it refuses submits.`,
    cure: 'Raise maxmemory, discard dead letters (queue.deadLetters), forget ended runs (queue.forget), or keep less of them: keepCompleted and keepDead of the broker.',
  },
  EXPIRED_LEASES: {
    level: 'warning',
    threshold: ({ expiredLeases }) => expiredLeases,
    show: count,
    sentence: (figure, threshold) =>
      `${figure} ${isOne(figure) ? 'lease has' : 'leases have'} expired; ${threshold} are accepted.`,
    cure: 'Look for workers that crash, or that block their event loop. Runs come back when a cleaner of a live worker finds them.',
  },
  MANY_LANES: {
    level: 'warning',
    threshold: ({ lanes }) => lanes,
    show: count,
    sentence: (figure, threshold) =>
      `${figure} ${isOne(figure) ? 'lane has' : 'lanes have'} runs, workers or holds; ${threshold} are accepted. One call looks at ${MAX_REPORTED_LANES}, and says nothing of others.`,
    cure: 'Start workers for what old versions of tasks have left, or cancel their runs; queue.unattended() lists every lane without a worker.',
  },
  OLDEST_AGE: {
    level: 'warning',
    threshold: ({ oldestAge }) => oldestAge,
    show: formatDuration,
    sentence: (figure, threshold, { lane }) =>
      `The next run of lane ${lane} has been claimable for ${figure}; ${threshold} is accepted.`,
    cure: 'Start more workers, raise their concurrency, or make the handler faster. If queue.holds() lists the lane, end what holds it.',
  },
  LATE_STARTS: {
    level: 'warning',
    threshold: ({ lateness }) => lateness,
    show: formatDuration,
    sentence: (figure, threshold, { lane }) =>
      `A run of lane ${lane} has started ${figure} late; ${threshold} is accepted.`,
    cure: 'Look at lateBecause of the started event: it names the obstacle.',
  },
  RETRY_SHARE: {
    level: 'warning',
    threshold: ({ retryShare }) => retryShare,
    show: share,
    sentence: (figure, threshold, { lane }) =>
      `${figure} of the attempts that start in lane ${lane} are retries; ${threshold} are accepted.`,
    cure: 'Look at the errors of the retried event; give the task a circuitBreaker, so that retries do not add to an outage.',
  },
  DEAD_LETTERS_GROW: {
    level: 'warning',
    threshold: ({ deadLettersPerMinute }) => deadLettersPerMinute,
    show: count,
    sentence: (figure, threshold) =>
      `There are ${figure} more dead letters each minute; ${threshold} are accepted.`,
    cure: 'Look at the error groups, put the task on hold if its dependency is down, and redrive when the cause is fixed.',
  },
  DOMINANT_GROUP: {
    level: 'warning',
    threshold: ({ groupShare }) => groupShare,
    show: share,
    sentence: (figure, threshold, { lane, group }) =>
      `${figure} of all dead letters are in lane ${lane} and have one cause, ${group?.title}; ${threshold} are accepted.`,
    cure: 'Fix this cause first, then plan a redrive of its dead letters.',
  },
  LANE_ON_HOLD: {
    level: 'warning',
    threshold: ({ holdAge }) => holdAge,
    show: formatDuration,
    sentence: (figure, threshold, { lane }) =>
      `${lane === undefined ? 'All lanes have' : `Lane ${lane} has`} been on hold for ${figure}; ${threshold} is accepted.`,
    cure: 'queue.holds() says who put it on hold and why; queue.resume ends it.',
  },
  EVENT_LOOP_LAG: {
    level: 'warning',
    threshold: ({ eventLoopLag }) => eventLoopLag,
    show: formatDuration,
    sentence: (figure, threshold, { worker }) =>
      `Timers of worker ${worker} fire ${figure} late; ${threshold} is accepted.`,
    cure: 'Move long computations of its handlers to worker threads, or lower its concurrency.',
  },
};

/** Every check: critical ones first. Findings are in this order. */
export const CHECKS: readonly Check[] = Object.keys(RULES) as Check[]; // its own keys

/**
 * Returns the readings above their thresholds: critical ones first, then by code, the largest figures first. A count that ended at a
 * bound is among them unless its check is off, because nobody knows that it is not above.
 */
export function findingsOf(readings: readonly Reading[], settings: HealthSettings): readonly Finding[] {
  const above = readings.filter(({ check, figure, isComplete = true }) => {
    const threshold = RULES[check].threshold(settings);
    return figure > threshold || (!isComplete && threshold < Infinity);
  });
  return above
    .sort(
      (left, right) => CHECKS.indexOf(left.check) - CHECKS.indexOf(right.check) || right.figure - left.figure,
    )
    .map((reading) => findingOf(reading, RULES[reading.check].threshold(settings)));
}

function findingOf(
  { check: code, figure, isComplete = true, ...subject }: Reading,
  threshold: number,
): Finding {
  const { level, show, sentence, cure } = RULES[code];
  const { name: task, version } = taskOfLane(subject.lane ?? '');
  const shown = `${isComplete ? '' : 'At least '}${show(figure)}`;
  return {
    ...{ code, level, ...subject },
    ...(subject.lane !== undefined && { task, version }),
    ...{ figure, ...(!isComplete && { isComplete }), threshold },
    ...{ sentence: sentence(shown, show(threshold), subject), cure },
  };
}
