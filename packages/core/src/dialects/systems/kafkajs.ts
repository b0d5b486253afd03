import { factor, group, ignored, ms, retries, share } from '../option.ts';
import { defineSystem, exponential, list, type System } from '../system.ts';

/** KafkaJS: its `retry` option. */
export const kafkajs: System = /* @__PURE__ */ defineSystem({
  name: 'kafkajs',
  title: 'KafkaJS',
  version: '2.2.4',
  fidelity: 'near',
  remarks: [
    'Its jitter compounds: each delay is drawn from the one before, so that the range grows by more than 20 % each time. The third is 616 to 2074 ms there, and 960 to 1440 ms here; the mean is the same.',
    'A first delay above `maxRetryTime` is not cut at it.',
  ],
  options: {
    retry: group(
      {
        retries: retries(5, 'calls after the first'),
        initialRetryTime: ms(300, 'the first delay'),
        maxRetryTime: ms(30_000, 'the longest delay'),
        factor: share(0.2, 'by what part of itself a delay may be shorter or longer'),
        multiplier: factor(2, 'what each delay is multiplied by'),
        restartOnFailure: ignored('a function'),
      },
      'of the client',
    ),
  },
  policy: ({ retry: { initialRetryTime, maxRetryTime, factor: by, multiplier, ...values } }) => ({
    maxAttempts: values.retries,
    ...(initialRetryTime > maxRetryTime
      ? { backoff: list([initialRetryTime, maxRetryTime]) }
      : {
          backoff: exponential(initialRetryTime, multiplier),
          maxDelay: maxRetryTime,
          capAt: 'after-jitter' as const,
        }),
    jitter: { proportional: by },
  }),
});
