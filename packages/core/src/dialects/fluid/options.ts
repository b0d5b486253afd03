import type { ExceptionLike } from '../read-exceptions.ts';

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

/** The option names of {@link FluidOptions}. */
export const FLUID_KEYS: readonly string[] = [
  'retry',
  'rate_limit_retry',
  'max_concurrency',
  'timeout_seconds',
];
/** The option names of {@link FluidRetryPolicy}. */
export const FLUID_RETRY_KEYS: readonly string[] = [
  'max_attempts',
  'wait',
  'backoff',
  'max_wait',
  'exceptions',
];
