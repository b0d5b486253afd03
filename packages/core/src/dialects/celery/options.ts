import type { ExceptionLike } from '../read-exceptions.ts';

/** Celery's task options for retries; durations are in seconds. */
export interface CeleryOptions {
  /** Exceptions that are retried automatically; empty: none. @default [] */
  readonly autoretry_for?: readonly ExceptionLike[] | undefined;
  /** Exceptions that are never retried; takes precedence over `autoretry_for`. @default [] */
  readonly dont_autoretry_for?: readonly ExceptionLike[] | undefined;
  /** Retries, not counting the first run; `null`: no limit. @default 3 */
  readonly max_retries?: number | null | undefined;
  /** Seconds before a retry without `retry_backoff`. @default 180 */
  readonly default_retry_delay?: number | undefined;
  /** `true` = 1; a number is the seconds before the first retry, doubled each time. @default false */
  readonly retry_backoff?: boolean | number | `${number}` | undefined;
  /** Longest backoff in seconds (not minutes). @default 600 */
  readonly retry_backoff_max?: number | `${number}` | undefined;
  /** Full jitter in whole seconds; only with `retry_backoff`. @default true */
  readonly retry_jitter?: boolean | undefined;
  /** The arguments of autoretry's `retry()`: `max_retries` overrides the option, `countdown` applies without a backoff. */
  readonly retry_kwargs?:
    | {
        /** Seconds before each retry; `null`: `default_retry_delay`. */
        readonly countdown?: number | null | undefined;
        /** Retries, not counting the first run; `null`: the option of the same name. */
        readonly max_retries?: number | null | undefined;
      }
    | undefined;
  /** Expected errors for Celery's log, without effect on retries. @default [] */
  readonly throws?: readonly ExceptionLike[] | undefined;
}

/** The option names of {@link CeleryOptions}. */
export const CELERY_KEYS: readonly string[] = [
  ...['autoretry_for', 'dont_autoretry_for', 'max_retries', 'default_retry_delay'],
  ...['retry_backoff', 'retry_backoff_max', 'retry_jitter', 'retry_kwargs', 'throws'],
];
