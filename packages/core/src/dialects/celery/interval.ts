import type { Fields } from '../../fields/fields.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import type { Policy, PolicyInput } from '../../policy/policy.ts';
import { readOptions } from '../read-options.ts';

/** Arguments of Celery's `get_exponential_backoff_interval`; whole seconds. */
export interface CeleryInterval {
  /** Seconds before the first retry; it doubles from there. Below 0 counts as 0. */
  readonly factor: number;
  /** Longest delay in seconds. Below 0 counts as 0, but leaves jitter nothing to draw from. */
  readonly maximum: number;
  /** Draw evenly from 0 to the delay, both included. @default false */
  readonly full_jitter?: boolean;
}

/** The delays of a policy, as Celery's formula has them. */
export type IntervalInput = Required<
  Pick<PolicyInput, 'backoff' | 'jitter' | 'maxDelay' | 'capAt' | 'granularity'>
>;

/**
 * A policy with the delays of Celery's `get_exponential_backoff_interval`: `factor × 2^(retry - 1)` seconds, cut
 * to `maximum`, then drawn as a whole number of seconds where `full_jitter` says so.
 *
 * @throws {InvalidOptionsError} when anything is wrong, also where Celery has an empty range to draw from
 * @see docs/dialects.md#celery
 */
export function celeryInterval(options: CeleryInterval): Policy {
  const input = readOptions(options, ['factor', 'maximum', 'full_jitter'], (fields) => {
    const factor = wholeNumber(fields, 'factor');
    const maximum = wholeNumber(fields, 'maximum');
    const full_jitter = fields.choice('full_jitter', false, [true, false]);
    checkRange(fields, 'maximum', { maximum, full_jitter });
    return intervalInput({ factor, maximum, full_jitter });
  });
  return definePolicy(input);
}

/** The same as part of a policy that is still to be defined; the numbers are whole already. */
export function intervalInput({ factor, maximum, full_jitter }: Required<CeleryInterval>): IntervalInput {
  return {
    backoff: { type: 'exponential', base: Math.max(factor, 0) * 1_000, factor: 2 },
    jitter: full_jitter ? 'full' : 'none',
    maxDelay: Math.max(maximum, 0) * 1_000,
    capAt: 'before-jitter',
    // In whole units full jitter draws an integer with both ends, which is Celery's randrange(delay + 1).
    granularity: 1_000,
  };
}

/** Reports a cap below 0 where jitter would have to draw below it: Celery raises then. */
export function checkRange(
  fields: Fields,
  key: string,
  { maximum, full_jitter }: Omit<Required<CeleryInterval>, 'factor'>,
): void {
  if (full_jitter && maximum < 0) fields.fail(key, 'must be ≥ 0 with jitter', 'Use 600, the default.');
}

function wholeNumber(fields: Fields, key: string): number {
  return fields.number(key, undefined, {
    accepts: Number.isInteger,
    message: 'must be a whole number of seconds',
    cure: 'Write seconds as a plain number: 30.',
  });
}
