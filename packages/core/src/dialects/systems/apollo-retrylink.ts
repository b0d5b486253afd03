import { executions, flag, group, ignored, ms } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Apollo Client: its RetryLink. */
export const apolloRetrylink: System = /* @__PURE__ */ defineSystem({
  name: 'apollo-retrylink',
  title: 'Apollo RetryLink',
  version: '4.3.8',
  fidelity: 'exact',
  options: {
    delay: group(
      {
        initial: ms(300, 'the first delay'),
        max: ms(Infinity, 'the longest delay'),
        jitter: flag(true, 'whether a delay is drawn from 0 to twice itself'),
      },
      'of the link',
    ),
    attempts: group({ max: executions(5, 'all executions'), retryIf: ignored('a function') }, 'of the link'),
  },
  policy: ({ delay: { initial, max, jitter }, attempts }) => ({
    maxAttempts: attempts.max,
    backoff: exponential(jitter ? 2 * initial : initial),
    jitter: jitter ? 'full' : 'none',
    maxDelay: max,
  }),
});
