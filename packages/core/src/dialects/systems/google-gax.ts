import { ATTEMPT_GOES_ON } from '../deadline.ts';
import { executions, factor, group, ignored, ms } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** google-gax: its `backoffSettings`. */
export const googleGax: System = /* @__PURE__ */ defineSystem({
  name: 'google-gax',
  title: 'google-gax',
  version: '6.17.0',
  fidelity: 'exact',
  remarks: ['`maxRetries` counts calls, and it waits once more before it rejects.'],
  options: {
    backoffSettings: group(
      {
        initialRetryDelayMillis: ms(100, 'the first delay'),
        retryDelayMultiplier: factor(1.3, 'what each delay is multiplied by'),
        maxRetryDelayMillis: ms(60_000, 'the longest delay'),
        maxRetries: executions(Infinity, 'all calls; the last one also waits'),
        totalTimeoutMillis: ms(Infinity, 'the longest time of all calls together'),
        initialRpcTimeoutMillis: ignored('the timeout of the first call'),
        rpcTimeoutMultiplier: ignored('its growth'),
        maxRpcTimeoutMillis: ignored('its maximum'),
      },
      'of a call',
    ),
  },
  deadline: {
    option: 'backoffSettings.totalTimeoutMillis',
    limitOf: ({ backoffSettings }) => backoffSettings.totalTimeoutMillis,
    there: ATTEMPT_GOES_ON,
  },
  check: ({ backoffSettings: { maxRetries, totalTimeoutMillis } }, fields) => {
    if (Number.isFinite(maxRetries) && Number.isFinite(totalTimeoutMillis))
      fields.fail(
        'backoffSettings',
        'must not have both maxRetries and totalTimeoutMillis, there too',
        'Leave one of them out.',
      );
  },
  policy: ({ backoffSettings }) => ({
    maxAttempts: backoffSettings.maxRetries,
    backoff: exponential(backoffSettings.initialRetryDelayMillis, backoffSettings.retryDelayMultiplier),
    jitter: 'full',
    maxDelay: backoffSettings.maxRetryDelayMillis,
  }),
});
