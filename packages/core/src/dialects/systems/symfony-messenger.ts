import { factor, ms, retries, share } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Symfony Messenger: the retry strategy of a transport. */
export const symfonyMessenger: System = /* @__PURE__ */ defineSystem({
  name: 'symfony-messenger',
  title: 'Symfony Messenger',
  version: '5.4.53',
  fidelity: 'exact',
  remarks: [
    'The class has a multiplier of 1, the configuration of the framework 2. Since 7.1 it has a jitter of 0.1 by default.',
  ],
  options: {
    maxRetries: retries(3, 'executions after the first'),
    delayMilliseconds: ms(1_000, 'the first delay'),
    multiplier: factor(1, 'what each delay is multiplied by'),
    maxDelayMilliseconds: ms(0, 'the longest delay; 0: no limit'),
    jitter: share(0, 'by what part of itself a delay may be shorter or longer, since 7.1'),
  },
  policy: ({ maxRetries, delayMilliseconds, multiplier, maxDelayMilliseconds, jitter }) => ({
    maxAttempts: maxRetries,
    backoff: exponential(delayMilliseconds, multiplier),
    jitter: { proportional: jitter },
    maxDelay: maxDelayMilliseconds || Infinity,
    capAt: 'after-jitter',
  }),
});
