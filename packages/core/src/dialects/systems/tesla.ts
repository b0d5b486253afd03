import { ms, retries, share } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Tesla: its Retry middleware. */
export const tesla: System = /* @__PURE__ */ defineSystem({
  name: 'tesla',
  title: 'Tesla',
  version: '1.21.2',
  fidelity: 'exact',
  options: {
    max_retries: retries(5, 'requests after the first'),
    delay: ms(50, 'the first delay'),
    max_delay: ms(5_000, 'the longest delay'),
    jitter_factor: share(0.2, 'by what part of itself a delay may be shorter'),
  },
  policy: ({ max_retries, delay, max_delay, jitter_factor }) => ({
    maxAttempts: max_retries,
    backoff: exponential(delay),
    jitter: { down: jitter_factor },
    maxDelay: max_delay,
  }),
});
