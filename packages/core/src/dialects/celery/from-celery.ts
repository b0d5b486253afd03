import type { Report } from '../../fields/fields.ts';
import { type Fields, readFields } from '../../fields/fields.ts';
import type { Matcher } from '../../matching/matcher.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import type { PolicyInput } from '../../policy/policy.ts';
import { type Dialect, dialectOf } from '../dialect.ts';
import { type ExceptionLike, readExceptions } from '../read-exceptions.ts';
import { attemptsOf, isUnset, readInteger, readOptions, readSeconds } from '../read-options.ts';
import { checkRange, intervalInput } from './interval.ts';
import { warnCelery } from './warnings.ts';

/** Celery's task options that have to do with retrying; seconds. */
export interface CeleryOptions {
  /** Exceptions that are retried by themselves; empty is none. @default [] */
  readonly autoretry_for?: readonly ExceptionLike[];
  /** Never retried; beats `autoretry_for`. @default [] */
  readonly dont_autoretry_for?: readonly ExceptionLike[];
  /** Retries, not counting the first run; `null` is no limit. @default 3 */
  readonly max_retries?: number | null;
  /** Seconds before a retry where there is no `retry_backoff`. @default 180 */
  readonly default_retry_delay?: number;
  /** `true` = 1; a number is the seconds before the first retry, doubled each time. @default false */
  readonly retry_backoff?: boolean | number | `${number}`;
  /** Longest backoff in seconds (not minutes). @default 600 */
  readonly retry_backoff_max?: number | `${number}`;
  /** Full jitter in whole seconds; only with `retry_backoff`. @default true */
  readonly retry_jitter?: boolean;
  /** What autoretry hands to `retry()`: its `max_retries` wins, its `countdown` holds without `retry_backoff`. */
  readonly retry_kwargs?: {
    readonly countdown?: number | null;
    readonly max_retries?: number | null;
  };
  /** Expected errors for Celery's log; they decide nothing about retrying. @default [] */
  readonly throws?: readonly ExceptionLike[];
}

const KEYS = [
  ...['autoretry_for', 'dont_autoretry_for', 'max_retries', 'default_retry_delay'],
  ...['retry_backoff', 'retry_backoff_max', 'retry_jitter', 'retry_kwargs', 'throws'],
];

/** Signals rather than failures: autoretry lets them through, whatever it lists. */
const SIGNALS: Matcher = { name: ['Ignore', 'Retry'] };

/**
 * Celery's autoretry options as a policy; `celeryRetry` answers for a task that calls `retry()` itself.
 *
 * @throws {InvalidOptionsError} when anything is wrong; it lists every problem under Celery's own names
 * @see docs/dialects.md#celery
 */
export function fromCelery(options: CeleryOptions = {}): Dialect {
  const input = readOptions(options, KEYS, readPolicy);
  return dialectOf(definePolicy(input), {}, warnCelery(options));
}

function readPolicy(fields: Fields, report: Report): PolicyInput {
  const expected = readExceptions(fields, 'autoretry_for', report);
  readExceptions(fields, 'throws', report);
  const kwargs = readFields(fields.value('retry_kwargs') ?? {}, 'retry_kwargs', {
    keys: ['countdown', 'max_retries'],
    report,
  });
  return {
    maxAttempts: readMaxAttempts(fields, kwargs),
    ...readDelays(fields, kwargs),
    // A soft time limit raises an ordinary exception.
    retryTimeouts: false,
    retryOn: expected.length === 0 ? 'nothing' : expected,
    stopOn: [SIGNALS, ...readExceptions(fields, 'dont_autoretry_for', report)],
  };
}

function readMaxAttempts(fields: Fields, kwargs: Fields | undefined): number {
  const own = fields.value('max_retries') === null ? Infinity : readInteger(fields, 'max_retries', 3);
  if (kwargs === undefined || isUnset(kwargs.value('max_retries'))) return attemptsOf(own);
  return attemptsOf(readInteger(kwargs, 'max_retries', 3));
}

function readDelays(fields: Fields, kwargs: Fields | undefined): PolicyInput {
  const factor = readBackoff(fields);
  const full_jitter = fields.choice('retry_jitter', true, [true, false]);
  const maximum = Math.trunc(readNumber(fields, 'retry_backoff_max', 600));
  const isOwn = kwargs !== undefined && !isUnset(kwargs.value('countdown'));
  const ownMs = isOwn ? readSeconds(kwargs, 'countdown', 0) : undefined;
  const defaultMs = readSeconds(fields, 'default_retry_delay', 180);
  if (factor === 0) return { backoff: { type: 'constant', base: ownMs ?? defaultMs }, jitter: 'none' };

  checkRange(fields, 'retry_backoff_max', { maximum, full_jitter });
  return intervalInput({ factor, maximum, full_jitter });
}

/** Celery's own `int(max(1.0, float(retry_backoff)))`; 0 for no backoff. */
function readBackoff(fields: Fields): number {
  const given = fields.value('retry_backoff') ?? false;
  const factor = typeof given === 'boolean' ? Number(given) : readNumber(fields, 'retry_backoff', 0);
  return factor === 0 ? 0 : Math.trunc(Math.max(1, factor));
}

/** Celery converts text too. */
function readNumber(fields: Fields, key: string, fallback: number): number {
  const given = fields.value(key) ?? fallback;
  const isText = typeof given === 'string' && given.trim() !== '';
  const value = isText || typeof given === 'number' ? Number(given) : Number.NaN;
  if (Number.isFinite(value)) return value;
  fields.fail(key, 'must be a finite number of seconds', 'Write seconds as a plain number: 30.');
  return fallback;
}
