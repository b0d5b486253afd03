import type { Matcher } from '../../matching/matcher.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import type { PolicyInput } from '../../policy/policy.ts';
import { type Dialect, type DialectWarning, type TaskOptions, warnIf, warnRunsOnce } from '../dialect.ts';
import {
  atLeast,
  endlessSeconds,
  factor,
  group,
  ifSet,
  integer,
  type Option,
  seconds,
  signedRetries,
  type ValuesOf,
} from '../option.ts';
import { type ExceptionLike, exceptions, listsTimeouts, TIMEOUTS } from '../read-exceptions.ts';
import { belongIn, isUnset } from '../read-options.ts';
import { defineSystem, exponential, FOLLOWS_SERVER, type System } from '../system.ts';

/** fluid's `RetryPolicy`; durations are in seconds. */
export interface FluidRetryPolicy {
  /** Retries, not counting the first run; `null`: no limit. @default null */
  readonly max_attempts?: number | null | undefined;
  /** Seconds before the first retry. @default 1 */
  readonly wait?: number | undefined;
  /** The factor of each further delay. @default 1 */
  readonly backoff?: number | undefined;
  /** Longest delay in seconds; may be `Infinity`. @default 60 */
  readonly max_wait?: number | undefined;
  /** Exceptions that are retried; empty: all. @default [] */
  readonly exceptions?: readonly ExceptionLike[] | undefined;
}

/** The options of fluid's `@task` for retries. */
export interface FluidOptions {
  /** @default null: no retries */
  readonly retry?: FluidRetryPolicy | null | undefined;
  /** The policy of runs over `max_concurrency`. @default null: such a run ends as rate limited */
  readonly rate_limit_retry?: FluidRetryPolicy | null | undefined;
  /** How many runs of the task may run at the same time, in all workers; 0: no limit. @default 0 */
  readonly max_concurrency?: number | undefined;
  /** @default 60 */
  readonly timeout_seconds?: number | undefined;
}

const RETRY = {
  max_attempts: signedRetries(Infinity, 'executions after the first'),
  wait: seconds(1_000, 'the first delay'),
  backoff: factor(1, 'what each delay is multiplied by'),
  max_wait: endlessSeconds(60_000, 'the longest delay'),
  exceptions: exceptions('exceptions that are retried; none: all'),
};

type Retry = ValuesOf<typeof RETRY>;

function retryPolicy(meaning: string): Option<Retry | undefined> {
  return ifSet(group(RETRY, meaning));
}

/** fluid's consumer handles these errors before it applies the policy. */
const NEVER_RETRIED: Matcher = { name: ['TaskAbortedError', 'TaskRunError', 'CancelledError'] };

/** aio-fluid: the options of `@task`. */
export const fluid: System = /* @__PURE__ */ defineSystem({
  name: 'fluid',
  title: 'aio-fluid',
  version: '2.3',
  fidelity: 'exact',
  options: {
    retry: retryPolicy('without it a task is never retried'),
    rate_limit_retry: retryPolicy('of runs over `max_concurrency`; without it such a run ends'),
    max_concurrency: integer(0, 0, 'runs at the same time, in all workers; 0: no limit'),
    timeout_seconds: atLeast(1, seconds(60_000, 'of one attempt')),
  },
  // Our own cures of these keys name keys of a policy.
  cures: {
    ...belongIn('retry', Object.keys(RETRY)),
    retries: 'Use retry: { max_attempts: … }, which counts retries.',
    max_retries: 'Use retry: { max_attempts: … }, which counts retries.',
    timeout: 'Use timeout_seconds.',
  },
  policy: ({ retry, timeout_seconds }) => ({
    ...FOLLOWS_SERVER,
    ...(retry === undefined ? { maxAttempts: 1 } : { ...delaysOf(retry), ...rulesOf(retry.exceptions) }),
    attemptTimeout: timeout_seconds,
    retryTimeouts: false,
  }),
  // The floor is that of runs that fluid puts back because they are not due yet.
  task: ({ max_concurrency, rate_limit_retry }) => ({
    ...limitOf(max_concurrency, rate_limit_retry),
    minRequeueDelayMs: 5_000,
  }),
  warnings: ({ retry, rate_limit_retry, max_concurrency }, given: FluidOptions) => [
    ...warningsOf(given.retry, 'retry', retry),
    ...warningsOf(given.rate_limit_retry, 'rate_limit_retry', rate_limit_retry),
    warnIf(rate_limit_retry !== undefined && max_concurrency === 0, {
      code: 'WITHOUT_EFFECT',
      path: 'rate_limit_retry',
      message: 'it applies only when max_concurrency is reached',
      cure: 'Set max_concurrency, or leave it out.',
    }),
  ],
});

/**
 * Converts aio-fluid's retry options to a policy. A timeout is not retried unless `exceptions` names it.
 *
 * @throws {InvalidOptionsError} listing every problem under fluid's own names
 * @see docs/dialects.md#fluid
 */
export function fromFluid(options: FluidOptions = {}): Dialect {
  return fluid.from(options);
}

function delaysOf({ max_attempts, wait, backoff, max_wait }: Retry): PolicyInput {
  return {
    maxAttempts: max_attempts,
    backoff: exponential(wait, backoff),
    jitter: 'none',
    maxDelay: max_wait,
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

function limitOf(maxConcurrency: number, retry: Retry | undefined): TaskOptions {
  if (maxConcurrency === 0) return {};
  const limit = { globalConcurrency: maxConcurrency };
  if (retry === undefined) return { ...limit, whenFull: 'end' };
  // No exception was thrown, so the list of exceptions does not apply.
  return {
    ...limit,
    whenFull: 'retry',
    rateLimitRetry: definePolicy({ ...delaysOf(retry), retryOn: 'everything' }),
  };
}

function warningsOf(
  given: FluidRetryPolicy | null | undefined,
  key: string,
  read: Retry | undefined,
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
    warnIf(key === 'retry' && listsTimeouts(read.exceptions), {
      code: 'TIMEOUT_LISTED',
      path: `${key}.exceptions`,
      message: 'fluid never retries a timeout, listed or not; here a listed one is retried',
      cure: 'Leave TimeoutError out to keep what fluid does.',
    }),
  ];
}
