import type { Fields } from '../../fields/fields.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import type { Policy, PolicyInput } from '../../policy/policy.ts';
import { finiteProduct, readOptions } from '../read-options.ts';

/** Arguments of Celery's `get_exponential_backoff_interval`; whole seconds. */
interface CeleryInterval {
  /** Seconds before the first retry, doubled each time. A negative number counts as 0. */
  readonly factor: number;
  /** Longest delay in seconds. A negative number counts as 0, and is an error with jitter: its range is empty. */
  readonly maximum: number;
  /** Draws uniformly from 0 to the delay, both included. @default false */
  readonly full_jitter?: boolean;
}

/** The delay options of a policy that follow from Celery's formula. */
type IntervalInput = Required<Pick<PolicyInput, 'backoff' | 'jitter' | 'maxDelay' | 'capAt' | 'granularity'>>;

/**
 * Returns a policy with the delays of Celery's `get_exponential_backoff_interval`: `factor × 2^(retry - 1)` seconds, at
 * most `maximum`, then drawn as a whole number of seconds if `full_jitter` is set.
 *
 * @throws {InvalidOptionsError} listing every problem, also an empty range for the jitter
 * @see docs/dialects.md#celery
 */
export function celeryInterval(options: CeleryInterval): Policy {
  const input = readOptions(options, { keys: ['factor', 'maximum', 'full_jitter'] }, (fields) => {
    const factor = wholeNumber(fields, 'factor');
    const maximum = wholeNumber(fields, 'maximum');
    const full_jitter = fields.choice('full_jitter', false, [true, false]);
    checkRange(fields, 'maximum', { maximum, full_jitter });
    return intervalInput({ factor, maximum, full_jitter });
  });
  return definePolicy(input);
}

/** Returns the delay options of a policy; factor and maximum must be integers. */
export function intervalInput({ factor, maximum, full_jitter }: Required<CeleryInterval>): IntervalInput {
  return {
    backoff: { type: 'exponential', base: finiteProduct(Math.max(factor, 0), 1_000), factor: 2 },
    jitter: full_jitter ? 'full' : 'none',
    maxDelay: finiteProduct(Math.max(maximum, 0), 1_000),
    capAt: 'before-jitter',
    // In whole units full jitter includes both ends, as Celery's randrange(delay + 1) does.
    granularity: 1_000,
  };
}

/** Reports a negative cap with jitter, for which Celery raises an error. */
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
