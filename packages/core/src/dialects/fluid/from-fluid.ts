import type { Fields, Report } from '../../fields/fields.ts';
import { readFields } from '../../fields/fields.ts';
import type { Matcher } from '../../matching/matcher.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import type { PolicyInput } from '../../policy/policy.ts';
import type { Dialect, DialectWarning, TaskOptions } from '../dialect.ts';
import { dialectOf, warnIf, warnRunsOnce } from '../dialect.ts';
import { listsTimeouts, readExceptions, TIMEOUTS } from '../read-exceptions.ts';
import {
  attemptsOf,
  belongIn,
  isUnset,
  readFactor,
  readInteger,
  readOptions,
  readSeconds,
} from '../read-options.ts';
import { FLUID_KEYS, FLUID_RETRY_KEYS, type FluidOptions, type FluidRetryPolicy } from './options.ts';

/** fluid's consumer handles these errors before it applies the policy. */
const NEVER_RETRIED: Matcher = { name: ['TaskAbortedError', 'TaskRunError', 'CancelledError'] };

/** Of keys beside `retry`: these libraries' own cures name keys of a policy. */
const CURES = {
  ...belongIn('retry', FLUID_RETRY_KEYS),
  retries: 'Use retry: { max_attempts: … }, which counts retries.',
  max_retries: 'Use retry: { max_attempts: … }, which counts retries.',
  timeout: 'Use timeout_seconds.',
};

/** The shortest delay of a run that fluid puts back because it is not due yet. */
const REQUEUE_FLOOR_MS = 5_000;

/**
 * Converts aio-fluid's retry options to a policy. A timeout is not retried unless `exceptions` names it.
 *
 * @throws {InvalidOptionsError} listing every problem under fluid's own names
 * @see docs/dialects.md#fluid
 */
export function fromFluid(options: FluidOptions = {}): Dialect {
  const read = readOptions(options, { keys: FLUID_KEYS, cures: CURES }, (fields, report) => ({
    retry: readRetryPolicy(fields, 'retry', report),
    rateLimitRetry: readRetryPolicy(fields, 'rate_limit_retry', report),
    maxConcurrency: readInteger(fields, 'max_concurrency', 0, 0),
    timeoutMs: readSeconds(fields, 'timeout_seconds', 60, { least: 1 }),
  }));
  const { retry, rateLimitRetry, maxConcurrency, timeoutMs } = read;
  const policy = definePolicy({
    ...(retry === undefined ? { maxAttempts: 1 } : { ...retry, ...rulesOf(retry.retryOn) }),
    attemptTimeout: timeoutMs,
    retryTimeouts: false,
  });
  const task = { ...limitOf(maxConcurrency, rateLimitRetry), minRequeueDelayMs: REQUEUE_FLOOR_MS };
  return dialectOf(policy, task, [
    ...warningsOf(options.retry, 'retry', read.retry),
    ...warningsOf(options.rate_limit_retry, 'rate_limit_retry', rateLimitRetry),
    warnIf(rateLimitRetry !== undefined && maxConcurrency === 0, {
      code: 'WITHOUT_EFFECT',
      path: 'rate_limit_retry',
      message: 'it applies only when max_concurrency is reached',
      cure: 'Set max_concurrency, or leave it out.',
    }),
  ]);
}

type RetryInput = PolicyInput & { readonly retryOn: readonly Matcher[] };

function readRetryPolicy(task: Fields, key: string, report: Report): RetryInput | undefined {
  if (isUnset(task.value(key))) return undefined;
  const fields = readFields(task.value(key), key, { keys: FLUID_RETRY_KEYS, report });
  if (fields === undefined) return undefined;
  const isLimited = !isUnset(fields.value('max_attempts'));
  return {
    maxAttempts: isLimited ? attemptsOf(readInteger(fields, 'max_attempts', 0)) : Infinity,
    backoff: {
      type: 'exponential',
      base: readSeconds(fields, 'wait', 1),
      factor: readFactor(fields, 'backoff', 1),
    },
    jitter: 'none',
    maxDelay: readSeconds(fields, 'max_wait', 60, { finite: false }),
    retryOn: readExceptions(fields, 'exceptions', report),
  };
}

function rulesOf(exceptions: readonly Matcher[]): Pick<PolicyInput, 'retryOn' | 'stopOn'> {
  return listsTimeouts(exceptions)
    ? { retryOn: [...exceptions, TIMEOUTS], stopOn: [NEVER_RETRIED] }
    : {
        retryOn: exceptions.length === 0 ? 'everything' : exceptions,
        stopOn: [NEVER_RETRIED, TIMEOUTS],
      };
}

function limitOf(maxConcurrency: number, retry: RetryInput | undefined): TaskOptions {
  if (maxConcurrency === 0) return {};
  const limit = { globalConcurrency: maxConcurrency };
  if (retry === undefined) return { ...limit, whenFull: 'end' };
  // No exception was thrown, so the list of exceptions does not apply.
  return {
    ...limit,
    whenFull: 'retry',
    rateLimitRetry: definePolicy({ ...retry, retryOn: 'everything' }),
  };
}

function warningsOf(
  given: FluidRetryPolicy | null | undefined,
  key: string,
  read: RetryInput | undefined,
): readonly (DialectWarning | undefined)[] {
  if (isUnset(given) || read === undefined) return [];
  return [
    warnRunsOnce(`${key}.max_attempts`, given.max_attempts),
    warnIf(isUnset(given.max_attempts), {
      code: 'UNLIMITED',
      path: `${key}.max_attempts`,
      message: 'without max_attempts it retries for ever',
      cure: 'Set max_attempts; it counts retries.',
    }),
    warnIf(key === 'retry' && listsTimeouts(read.retryOn), {
      code: 'TIMEOUT_LISTED',
      path: `${key}.exceptions`,
      message: 'fluid never retries a timeout, listed or not; here a listed one is retried',
      cure: 'Leave TimeoutError out to keep what fluid does.',
    }),
  ];
}
