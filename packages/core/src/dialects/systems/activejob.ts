import { warnIf } from '../dialect.ts';
import { share, value } from '../option.ts';
import { constant, defineSystem, type System } from '../system.ts';
import { asAttempts } from '../texts.ts';
import { asSeconds } from '../written-values.ts';

type Wait = number | 'exponentially_longer';

function asWait(written: unknown): Wait | undefined {
  if (written === 'exponentially_longer' || written === 'polynomially_longer') return 'exponentially_longer';
  return asSeconds(written);
}

/** Active Job: `retry_on`. */
export const activejob: System = /* @__PURE__ */ defineSystem({
  name: 'activejob',
  title: 'Active Job (Rails)',
  version: '6.1.7.10',
  fidelity: 'exact',
  remarks: [
    'Each `retry_on` line counts by itself: two lines of 3 attempts may run a job 5 times.',
    'With `exponentially_longer`, jitter is a share of `n ^ 4`, without its 2 s more; here it is a share of the whole.',
  ],
  options: {
    wait: value<Wait>(
      { unit: 's', parse: asWait, must: 'seconds, or "exponentially_longer"', shown: '3' },
      3_000,
      'a delay, or `exponentially_longer` (`polynomially_longer` since 7.1)',
    ),
    attempts: value(
      { unit: 'executions', parse: asAttempts, must: 'a number of executions, or "unlimited"', shown: '5' },
      5,
      'all executions',
    ),
    jitter: share(0, 'up to which part of itself a delay is longer; 0.15 with the defaults of Rails 6.1'),
  },
  policy: ({ wait, attempts, jitter }) => ({
    maxAttempts: attempts,
    backoff:
      wait === 'exponentially_longer'
        ? { type: 'polynomial', base: 1_000, exponent: 4, offset: 2_000 }
        : constant(Math.trunc(wait / 1_000) * 1_000),
    jitter: { up: jitter },
  }),
  warnings: ({ wait }) => [
    warnIf(wait !== 'exponentially_longer' && wait % 1_000 !== 0, {
      code: 'ROUNDED',
      path: 'wait',
      message: 'it is cut to whole seconds there',
      cure: 'Write whole seconds.',
    }),
  ],
});
