import type { ExceptionLike } from '../read-exceptions.ts';

/** fluid's `RetryPolicy`; seconds. */
export interface FluidRetryPolicy {
  /** Retries, not counting the first run; `null` is no limit. @default null */
  readonly max_attempts?: number | null;
  /** Seconds before the first retry. @default 1 */
  readonly wait?: number;
  /** What each further wait is multiplied by. @default 1 */
  readonly backoff?: number;
  /** Longest wait in seconds; may be `Infinity`. @default 60 */
  readonly max_wait?: number;
  /** Exceptions that are retried; empty is every one. @default [] */
  readonly exceptions?: readonly ExceptionLike[];
}

/** Options of fluid's `@task` that have to do with retrying. */
export interface FluidOptions {
  /** @default null: never retried */
  readonly retry?: FluidRetryPolicy | null;
  /** Asked when `max_concurrency` is used up. @default null: such a run ends as rate limited */
  readonly rate_limit_retry?: FluidRetryPolicy | null;
  /** Runs of the task at once, in all workers; 0 is no limit. @default 0 */
  readonly max_concurrency?: number;
  /** @default 60 */
  readonly timeout_seconds?: number;
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
