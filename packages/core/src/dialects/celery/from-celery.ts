import type { Report } from '../../fields/fields.ts';
import { type Fields, readFields } from '../../fields/fields.ts';
import type { Matcher } from '../../matching/matcher.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import type { PolicyInput } from '../../policy/policy.ts';
import { type Dialect, dialectOf } from '../dialect.ts';
import { readExceptions } from '../read-exceptions.ts';
import { attemptsOf, isUnset, readInteger, readOptions, readSeconds } from '../read-options.ts';
import { checkRange, intervalInput } from './interval.ts';
import { CELERY_KEYS, type CeleryOptions } from './options.ts';
import { warnCelery } from './warnings.ts';

/** Control-flow exceptions: autoretry passes them on, even if they are listed. */
const SIGNALS: Matcher = { name: ['Ignore', 'Retry'] };

/**
 * Converts Celery's autoretry options to a policy. For a task that calls `retry()` itself, see `celeryRetry`.
 *
 * @throws {InvalidOptionsError} listing every problem under Celery's own names
 * @see docs/dialects.md#celery
 */
export function fromCelery(options: CeleryOptions = {}): Dialect {
  const input = readOptions(options, { keys: CELERY_KEYS }, readPolicy);
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
    // A soft time limit raises an ordinary exception, which must be listed to be retried.
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

/** Computes Celery's `int(max(1.0, float(retry_backoff)))`; 0 without a backoff. */
function readBackoff(fields: Fields): number {
  const given = fields.value('retry_backoff') ?? false;
  const factor = typeof given === 'boolean' ? Number(given) : readNumber(fields, 'retry_backoff', 0);
  return factor === 0 ? 0 : Math.trunc(Math.max(1, factor));
}

/** Reads a number, or text that Celery converts to one. */
function readNumber(fields: Fields, key: string, fallback: number): number {
  const given = fields.value(key) ?? fallback;
  const isText = typeof given === 'string' && given.trim() !== '';
  const value = isText || typeof given === 'number' ? Number(given) : Number.NaN;
  if (Number.isFinite(value)) return value;
  fields.fail(key, 'must be a finite number of seconds', 'Write seconds as a plain number: 30.');
  return fallback;
}
