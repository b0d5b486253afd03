import { choice, factor, retries, seconds, value } from '../option.ts';
import { defineSystem, list, type System } from '../system.ts';
import { asTimes } from '../texts.ts';

/** resque-retry: its two plugins. */
export const resqueRetry: System = /* @__PURE__ */ defineSystem({
  name: 'resque-retry',
  title: 'resque-retry',
  version: 'f75421a (2024-11-17)',
  fidelity: 'exact',
  options: {
    plugin: choice(['ExponentialBackoff', 'Retry'], 'ExponentialBackoff', 'which one a job extends'),
    backoff_strategy: value(
      { unit: 's', parse: asTimes, must: 'a list of seconds', shown: '0, 60, 600, 3600, 10800, 21600' },
      [0, 60_000, 600_000, 3_600_000, 10_800_000, 21_600_000],
      'the delays, one for each retry',
    ),
    retry_limit: retries(NaN, 'executions after the first; as many as delays, or 1'),
    retry_delay: seconds(0, 'of `Retry`'),
    retry_delay_multiplicand_min: factor(1, 'the lowest number that a delay is multiplied by'),
    retry_delay_multiplicand_max: factor(1, 'the highest'),
  },
  policy: ({
    plugin,
    backoff_strategy,
    retry_limit,
    retry_delay,
    retry_delay_multiplicand_min: least,
    retry_delay_multiplicand_max: most,
  }) => {
    const delays = plugin === 'Retry' ? [retry_delay] : backoff_strategy;
    const isDrawn = least > 0 && most > least;
    return {
      maxAttempts: Number.isNaN(retry_limit) ? delays.length + 1 : retry_limit,
      backoff: list(delays.map((each) => each * (isDrawn ? least : most))),
      jitter: isDrawn ? { up: most / least - 1 } : least < most ? 'full' : 'none',
    };
  },
});
