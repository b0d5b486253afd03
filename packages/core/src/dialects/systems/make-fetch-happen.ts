import { factor, flag, group, ms, retries } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** make-fetch-happen: its `retry` option, which npm uses. */
export const makeFetchHappen: System = /* @__PURE__ */ defineSystem({
  name: 'make-fetch-happen',
  title: 'make-fetch-happen',
  version: '15.0.6',
  fidelity: 'exact',
  remarks: [
    'Any error of a request that is no POST is repeated, also `ENOTFOUND`, which its documentation rules out, and an abort.',
  ],
  options: {
    retry: group(
      {
        retries: retries(0, 'requests after the first'),
        factor: factor(2, 'what each delay is multiplied by'),
        minTimeout: ms(1_000, 'the first delay'),
        maxTimeout: ms(Infinity, 'the longest delay'),
        randomize: flag(false, 'whether a delay is drawn from itself to twice itself'),
      },
      'a number is `retries`',
      (given) => (typeof given === 'number' ? { retries: given } : undefined),
    ),
  },
  policy: ({ retry: { factor: by, minTimeout, maxTimeout, randomize, ...values } }) => ({
    maxAttempts: values.retries,
    backoff: exponential(minTimeout, by),
    jitter: randomize ? 'bounded' : 'none',
    maxDelay: maxTimeout,
    capAt: 'after-jitter',
  }),
});
