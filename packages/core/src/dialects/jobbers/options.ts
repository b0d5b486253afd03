import type { ExceptionLike } from '../read-exceptions.ts';

/** `7b5465f` is the commit of the seed document: it counts retries from 1, the newer one from 0. */
export type JobbersVersion = '7b5465f' | 'main@06fcd8c';

/** How Jobbers' delays grow. */
export type JobbersStrategy = 'constant' | 'linear' | 'exponential' | 'exponential_jitter';

/** Jobbers' task options for retries; durations are in seconds. */
export interface JobbersOptions {
  /** The task's name. */
  readonly name?: string | undefined;
  /** The task's version. A {@link JobbersVersion} is read as `jobbers_version` instead. */
  readonly version?: number | string | undefined;
  /** The version of Jobbers whose formulas apply. @default '7b5465f' */
  readonly jobbers_version?: JobbersVersion | undefined;
  /** Retries, not counting the first run. @default 3 */
  readonly max_retries?: number | undefined;
  /** Delay in seconds; `null`: back into the queue immediately. @default null */
  readonly retry_delay?: number | null | undefined;
  /** @default 'exponential' */
  readonly backoff_strategy?: JobbersStrategy | undefined;
  /** Longest delay in seconds, applied after the jitter. @default 3600 */
  readonly max_retry_delay?: number | undefined;
  /** Exceptions that are retried; empty or `null`: none. Timeouts are retried in any case. @default null */
  readonly expected_exceptions?: readonly ExceptionLike[] | null | undefined;
  /** Seconds that one run may take, at least 0.001; `null`: no limit. @default null */
  readonly timeout?: number | null | undefined;
  /** How many runs may run at the same time in one worker; `null`: no limit. @default 1 */
  readonly max_concurrent?: number | null | undefined;
  /** Seconds without a heartbeat after which a run is stalled; `null` or 0: no limit. @default null */
  readonly max_heartbeat_interval?: number | null | undefined;
  /** @default 'stop' */
  readonly on_shutdown?: 'stop' | 'resubmit' | 'continue' | undefined;
  /** @default 'none' */
  readonly dead_letter_policy?: 'none' | 'save' | undefined;
}

/** The option names of {@link JobbersOptions}. */
export const JOBBERS_KEYS: readonly string[] = [
  ...[
    'name',
    'version',
    'jobbers_version',
    'max_retries',
    'retry_delay',
    'backoff_strategy',
    'max_retry_delay',
  ],
  ...['expected_exceptions', 'timeout', 'max_concurrent', 'max_heartbeat_interval'],
  ...['on_shutdown', 'dead_letter_policy'],
];
