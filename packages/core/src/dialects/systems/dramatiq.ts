import { flag, ms, retries, where } from '../option.ts';
import { defineSystem, exponential, type System } from '../system.ts';

/** Dramatiq: its Retries middleware. */
export const dramatiq: System = /* @__PURE__ */ defineSystem({
  name: 'dramatiq',
  title: 'Dramatiq',
  version: '848b35f (2026-08-13)',
  fidelity: 'range',
  remarks: [
    'Near the cap it draws again, from half of the cap on, so that its delays are longer on average.',
  ],
  options: {
    max_retries: where(null, Infinity, retries(20, 'executions after the first; `None`: no limit')),
    min_backoff: ms(15_000, 'the first delay'),
    max_backoff: ms(604_800_000, 'the longest delay'),
    jitter: flag(true, 'whether a delay is drawn from itself to twice itself'),
  },
  policy: ({ max_retries, min_backoff, max_backoff, jitter }) => ({
    maxAttempts: max_retries,
    backoff: exponential(min_backoff),
    jitter: jitter ? 'bounded' : 'none',
    maxDelay: max_backoff,
  }),
});
