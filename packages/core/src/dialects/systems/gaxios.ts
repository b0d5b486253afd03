import { factor, group, ignored, ms, retries } from '../option.ts';
import { defineSystem, type System, written } from '../system.ts';

/** gaxios: its `retryConfig`. */
export const gaxios: System = /* @__PURE__ */ defineSystem({
  name: 'gaxios',
  title: 'gaxios',
  version: '8.3.3',
  fidelity: 'exact',
  remarks: [
    '`retryDelay` is the first delay only; the later ones are `(m^(n - 1) - 1) / 2` seconds, whatever it is.',
  ],
  options: {
    retryConfig: group(
      {
        retry: retries(3, 'requests after the first'),
        retryDelay: ms(100, 'the first delay, and no other'),
        retryDelayMultiplier: factor(2, 'what the later delays grow by'),
        maxRetryDelay: ms(Infinity, 'the longest delay'),
        totalTimeout: ms(Infinity, 'the longest time of all attempts together; 0: no limit'),
        noResponseRetries: ignored('retries without a response'),
        httpMethodsToRetry: ignored('methods'),
        statusCodesToRetry: ignored('ranges of statuses'),
      },
      'of a request',
    ),
  },
  deadline: {
    option: 'retryConfig.totalTimeout',
    limitOf: ({ retryConfig }) => retryConfig.totalTimeout || Infinity,
    there:
      'there it ends the delays, and the retries that are left follow at once; here it ends the retrying, as its types say',
  },
  policy: ({ retryConfig: { retry, retryDelay, retryDelayMultiplier, maxRetryDelay } }) => ({
    maxAttempts: retry,
    backoff: written((count) =>
      count === 1 ? retryDelay : ((retryDelayMultiplier ** (count - 1) - 1) / 2) * 1_000,
    ),
    maxDelay: maxRetryDelay,
  }),
});
