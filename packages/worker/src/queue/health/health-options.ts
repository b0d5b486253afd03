import type { Duration } from '@retry/core';
import { MAX_REPORTED_LANES } from '@retry/core/broker/kit';
import type { Fields } from '@retry/core/fields';

/**
 * The options of `queue.health`. A figure above its threshold is a finding, and so is a count that ended at a bound before it was known
 * not to be above; `Infinity` switches one off.
 */
export interface HealthOptions {
  /** How long the next run of a lane may have been claimable. @default '5m' */
  readonly oldestAge?: Duration | undefined;
  /** How late a start may be. @default '1m' */
  readonly lateness?: Duration | undefined;
  /** Which share of the attempts that start in a lane may be retries, 0 to 1. @default 0.1 */
  readonly retryShare?: number | undefined;
  /** How many attempts have to have started in a lane before the share of retries counts, ≥ 1. @default 20 */
  readonly minStarts?: number | undefined;
  /** How fast the number of dead letters may grow, in dead letters a minute. @default 10 */
  readonly deadLettersPerMinute?: number | undefined;
  /** Which share of all dead letters one error group may have, 0 to 1. @default 0.5 */
  readonly groupShare?: number | undefined;
  /** How many dead letters there have to be before the share of a group counts, ≥ 1. @default 100 */
  readonly minDeadLetters?: number | undefined;
  /** How many lanes may have runs that wait, a live worker or a hold; one call looks at 1 000. @default 1000 */
  readonly lanes?: number | undefined;
  /** How many leases may have expired, 0 to 999. @default 0 */
  readonly expiredLeases?: number | undefined;
  /** How many runs may wait in a lane that no live worker knows. @default 0 */
  readonly unattendedRuns?: number | undefined;
  /** How long a lane may be on hold. @default '15m' */
  readonly holdAge?: Duration | undefined;
  /** How much later than asked the timers of a worker may fire. @default '200ms' */
  readonly eventLoopLag?: Duration | undefined;
  /** Which share of its memory the server may use, 0 to 1; where it is limited. @default 0.75 */
  readonly memoryShare?: number | undefined;
  /** Also count all runs (`queue.counts`), whose cost grows with their number. @default false */
  readonly audit?: boolean | undefined;
}

/** The options with all defaults, durations in milliseconds. */
export interface HealthSettings
  extends Readonly<Record<'oldestAge' | 'lateness' | 'holdAge' | 'eventLoopLag', number>>,
    Readonly<Record<'retryShare' | 'groupShare' | 'deadLettersPerMinute' | 'memoryShare', number>>,
    Readonly<Record<'minStarts' | 'minDeadLetters' | 'expiredLeases' | 'unattendedRuns' | 'lanes', number>> {
  readonly audit: boolean;
}

/** The most expired leases that one call counts. */
export const MAX_EXPIRED = 1_000;

/** Every key of the options. */
export const HEALTH_KEYS: readonly (keyof HealthOptions)[] = [
  ...(['oldestAge', 'lateness', 'retryShare', 'minStarts', 'deadLettersPerMinute', 'groupShare'] as const),
  ...([
    'minDeadLetters',
    'expiredLeases',
    'unattendedRuns',
    'lanes',
    'holdAge',
    'eventLoopLag',
    'memoryShare',
    'audit',
  ] as const),
];

/** Reads the options; every wrong one is reported. */
export function readHealthOptions(fields: Fields): HealthSettings {
  return {
    oldestAge: fields.duration('oldestAge', 300_000),
    lateness: fields.duration('lateness', 60_000),
    retryShare: fields.number('retryShare', 0.1, A_SHARE),
    minStarts: fields.number('minStarts', 20, AT_LEAST_1),
    deadLettersPerMinute: fields.number('deadLettersPerMinute', 10, AT_LEAST_0),
    groupShare: fields.number('groupShare', 0.5, A_SHARE),
    minDeadLetters: fields.number('minDeadLetters', 100, AT_LEAST_1),
    expiredLeases: fields.number('expiredLeases', 0, LEASES),
    unattendedRuns: fields.number('unattendedRuns', 0, AT_LEAST_0),
    lanes: fields.number('lanes', MAX_REPORTED_LANES, AT_LEAST_0),
    holdAge: fields.duration('holdAge', 900_000),
    eventLoopLag: fields.duration('eventLoopLag', 200),
    memoryShare: fields.number('memoryShare', 0.75, A_SHARE),
    audit: fields.choice('audit', false, [true, false]),
  };
}

const OFF = 'Use Infinity to switch it off.';

const A_SHARE = {
  accepts: (share: number): boolean => (share >= 0 && share <= 1) || share === Infinity,
  message: 'must be a number from 0 to 1, or Infinity',
  cure: 'Use 0.1 for 10 %.',
};

const AT_LEAST_0 = {
  accepts: (count: number): boolean => count >= 0,
  message: 'must be a number ≥ 0, or Infinity',
  cure: OFF,
};

const AT_LEAST_1 = {
  accepts: (count: number): boolean => count >= 1,
  message: 'must be a number ≥ 1, or Infinity',
  cure: OFF,
};

const LEASES = {
  accepts: (count: number): boolean => (count >= 0 && count < MAX_EXPIRED) || count === Infinity,
  message: `must be a number from 0 to ${MAX_EXPIRED - 1}, or Infinity`,
  cure: `One call counts ${MAX_EXPIRED} at most. ${OFF}`,
};
