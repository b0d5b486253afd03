import type { Duration } from '../duration.ts';
import type { Fields } from '../fields/fields.ts';
import { readOptions } from '../fields/read-options.ts';
import { integerFrom } from '../fields/value-rules.ts';
import type { CircuitBreakerSettings } from './circuit-breaker.ts';

/** A circuit breaker as people write it: the words and defaults of Polly. Every key is optional. */
export interface CircuitBreakerInput {
  /** The share of failures at which it opens, `0 < failureRatio ≤ 1`. @default 0.1 */
  readonly failureRatio?: number | undefined;
  /** How many outcomes the window has before it may open, an integer ≥ 1. @default 100 */
  readonly minimumThroughput?: number | undefined;
  /** The length of the sliding window of outcomes, at least 1 ms. @default '30s' */
  readonly samplingDuration?: Duration | undefined;
  /** How long it stays open before a probe, and how long a probe may take, at least 1 ms. @default '5s' */
  readonly breakDuration?: Duration | undefined;
}

/** The keys of a {@link CircuitBreakerInput}. */
export const CIRCUIT_BREAKER_KEYS: readonly (keyof CircuitBreakerInput)[] = [
  'failureRatio',
  'minimumThroughput',
  'samplingDuration',
  'breakDuration',
];

/**
 * Checks a circuit breaker, fills in the defaults and freezes it.
 *
 * @throws {InvalidOptionsError} when anything is wrong; it lists every problem with its path, value and cure
 */
export function defineCircuitBreaker(input?: CircuitBreakerInput): CircuitBreakerSettings {
  return readOptions(input, { subject: 'circuit breaker', keys: CIRCUIT_BREAKER_KEYS }, readCircuitBreaker);
}

/** Reads a circuit breaker from an object of options that may have further keys. */
export function readCircuitBreaker(fields: Fields): CircuitBreakerSettings {
  return Object.freeze({
    failureRatio: fields.number('failureRatio', 0.1, A_RATIO),
    minimumThroughput: fields.number('minimumThroughput', 100, integerFrom(1, 'Use 10 for ten outcomes.')),
    samplingDurationMs: fields.duration('samplingDuration', 30_000, AT_LEAST_1_MS),
    breakDurationMs: fields.duration('breakDuration', 5_000, AT_LEAST_1_MS),
  });
}

const A_RATIO = {
  accepts: (value: number): boolean => value > 0 && value <= 1,
  message: 'must be a number over 0 and at most 1',
  cure: 'Use 0.5 to open when half of the calls fail.',
};

const AT_LEAST_1_MS = {
  finite: true,
  accepts: (ms: number): boolean => ms >= 1,
  message: 'must be a finite duration ≥ 1 ms',
};
