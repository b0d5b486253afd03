import { type DialectWarning, warnIf, warnRunsOnce } from '../dialect.ts';
import { isUnset } from '../read-options.ts';
import type { JobbersOptions } from './options.ts';

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
