import type { Fields } from '../../fields/fields.ts';
import type { Matcher } from '../../matching/matcher.ts';
import type { Dialect } from '../dialect.ts';
import { described, flag, group, ifSet, seconds, signedRetries, where } from '../option.ts';
import { checkRange, intervalInput } from '../parity/celery-interval.ts';
import { exceptions } from '../read-exceptions.ts';
import { type CeleryOptions, warnCelery } from '../seeds/celery.ts';
import { constant, defineSystem, FOLLOWS_SERVER, type System } from '../system.ts';

/** Control-flow exceptions: autoretry passes them on, even if they are listed. */
const SIGNALS: Matcher = { name: ['Ignore', 'Retry'] };

/** Celery: the options of a task for automatic retries. */
export const celery: System = /* @__PURE__ */ defineSystem({
  name: 'celery',
  title: 'Celery',
  version: '5.6',
  fidelity: 'exact',
  remarks: ['Its jitter draws whole seconds, both ends included.'],
  options: {
    autoretry_for: exceptions('exceptions that are retried; none is by default'),
    dont_autoretry_for: exceptions('exceptions that are never retried'),
    max_retries: where(null, Infinity, signedRetries(3, 'executions after the first; `null`: no limit')),
    default_retry_delay: seconds(180_000, 'the delay without a backoff'),
    retry_backoff: described('s', 'false', 'the first delay, doubled each time; `true` is 1', readBackoff),
    retry_backoff_max: described('s', '600', 'the longest delay', (fields, key) =>
      Math.trunc(readNumber(fields, key, 600)),
    ),
    retry_jitter: flag(true, 'whether a delay is drawn from 0 to itself'),
    retry_kwargs: group(
      {
        countdown: seconds(undefined, 'the delay without a backoff'),
        max_retries: ifSet(signedRetries(3, 'instead of the option of the task')),
      },
      "the arguments of autoretry's `retry()`",
    ),
    throws: exceptions('for the log; without effect on retries'),
  },
  check: ({ retry_backoff, retry_backoff_max, retry_jitter }, fields) => {
    const range = { maximum: retry_backoff_max, full_jitter: retry_jitter };
    if (retry_backoff !== 0) checkRange(fields, 'retry_backoff_max', range);
  },
  policy: ({ retry_backoff, retry_backoff_max, retry_jitter, retry_kwargs, ...values }) => ({
    ...FOLLOWS_SERVER,
    maxAttempts: retry_kwargs.max_retries ?? values.max_retries,
    ...(retry_backoff === 0
      ? { backoff: constant(retry_kwargs.countdown ?? values.default_retry_delay) }
      : intervalInput({ factor: retry_backoff, maximum: retry_backoff_max, full_jitter: retry_jitter })),
    // A soft time limit raises an ordinary exception, which must be listed to be retried.
    retryTimeouts: false,
    retryOn: values.autoretry_for.length === 0 ? 'nothing' : values.autoretry_for,
    stopOn: [SIGNALS, ...values.dont_autoretry_for],
  }),
  warnings: (_values, given) => warnCelery(given),
});

/**
 * Converts Celery's autoretry options to a policy. For a task that calls `retry()` itself, see `celeryRetry`.
 *
 * @throws {InvalidOptionsError} listing every problem under Celery's own names
 * @see docs/dialects.md#celery
 */
export function fromCelery(options: CeleryOptions = {}): Dialect {
  return celery.from(options);
}

/** Computes Celery's `int(max(1.0, float(retry_backoff)))`; 0 without a backoff. */
function readBackoff(fields: Fields, key: string): number {
  const given = fields.value(key) ?? false;
  const factor = typeof given === 'boolean' ? Number(given) : readNumber(fields, key, 0);
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
