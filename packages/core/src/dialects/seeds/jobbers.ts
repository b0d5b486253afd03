import { type DialectWarning, warnIf, warnRunsOnce } from '../dialect.ts';
import type { ExceptionLike } from '../read-exceptions.ts';
import { isUnset } from '../read-options.ts';

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

/** Returns the warnings about valid Jobbers options. */
export function warnJobbers(options: JobbersOptions): readonly (DialectWarning | undefined)[] {
  return [
    warnRunsOnce('max_retries', options.max_retries),
    ...warnFirstDelay(options),
    warnIf(!isUnset(options.timeout) && options.timeout < 0.001, {
      code: 'ROUNDED',
      path: 'timeout',
      message: 'every attempt would time out immediately; here it may take a millisecond',
      cure: 'Write null for no limit.',
    }),
    warnIf((options.expected_exceptions ?? []).length === 0, {
      code: 'RETRIES_NOTHING',
      path: 'expected_exceptions',
      message: 'it lists nothing, so only timeouts are retried',
      cure: 'List the expected exceptions.',
    }),
    ...(['backoff_strategy', 'max_retry_delay'] as const).map((path) =>
      warnIf(isUnset(options.retry_delay) && !isUnset(options[path]), {
        code: 'WITHOUT_EFFECT',
        path,
        message: 'without retry_delay every retry is immediate',
        cure: 'Write retry_delay.',
      }),
    ),
  ];
}

function warnFirstDelay(options: JobbersOptions): readonly (DialectWarning | undefined)[] {
  const { version, jobbers_version = version, backoff_strategy = 'exponential', retry_delay } = options;
  const isSeed = jobbers_version !== 'main@06fcd8c';
  const waits = !isUnset(retry_delay) && retry_delay > 0;
  return [
    warnIf(waits && isSeed && backoff_strategy.startsWith('exponential'), {
      code: 'FIRST_DELAY_DOUBLED',
      path: 'retry_delay',
      message: 'this version counts the first retry as 1, so it waits up to twice retry_delay',
      cure: "Halve retry_delay, or choose jobbers_version: 'main@06fcd8c'.",
    }),
    warnIf(waits && !isSeed && backoff_strategy === 'linear', {
      code: 'FIRST_DELAY_ZERO',
      path: 'backoff_strategy',
      message: 'this version counts the first retry as 0, so it does not wait',
      cure: "Choose jobbers_version: '7b5465f'.",
    }),
  ];
}
