import type { PolicyInput } from '@retry/core';
import { definePolicy } from '@retry/core';
import type { Timeline, WorldInput } from '@retry/core/simulate';
import { simulate } from '@retry/core/simulate';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNight } from '../../support/some-tests.ts';

// Marc Brooker, "Fixing retries with token buckets and circuit breakers": 100 clients, 10 calls a second each, and a
// server that fails a share of the attempts. Load is attempts per call.
const WORLD = {
  traffic: { perSecond: 1_000 },
  server: { type: 'capacity', perSecond: 'Infinity' },
  network: { type: 'exponential', mean: 1 },
  processes: 100,
} as const satisfies WorldInput;

/** His bucket holds 5 tokens and gets 0.1 a call. Ours counts the calls of a window, and 1.8 retries of each window more. */
const BUDGET = { type: 'ratio', ratio: 0.1, minPerSecond: 0.06, window: '30s' } as const;

function run(maxAttempts: PolicyInput['maxAttempts'], world: Partial<WorldInput>): Timeline {
  const policy = definePolicy({ maxAttempts, backoff: { type: 'none' } });
  return simulate(policy, { ...WORLD, ...world });
}

/** Failure share, load and success; at night all that were published. */
const THREE_RETRIES = [
  [0.3, 1.416, 0.992],
  ...(isNight()
    ? ([
        [0.1, 1.111, 0.9999],
        [0.5, 1.874, 0.938],
        [1, 4, 0],
      ] as const)
    : []),
] as const;
const TENTH_OF_RETRIES = [
  [0.3, 1.107, 0.775],
  ...(isNight()
    ? ([
        [0.1, 1.094, 0.986],
        [0.5, 1.107, 0.552],
        [1, 1.107, 0],
      ] as const)
    : []),
] as const;

describe("Brooker's simulation of retries", () => {
  it.each(THREE_RETRIES)(
    'at a failure share of %d, three retries have the published load and success',
    (errorShare, load, success) => {
      const timeline = run(4, { errorShare, duration: '4s' });

      expect(Math.abs(timeline.amplification.mean - load)).toBeLessThanOrEqual(0.005);
      expect(Math.abs(timeline.successShare.mean - success)).toBeLessThanOrEqual(0.01);
    },
  );

  it.each(TENTH_OF_RETRIES)(
    'at a failure share of %d, a 10 %% budget has the published load and success',
    (errorShare, load, success) => {
      const timeline = run(Infinity, { errorShare, budget: BUDGET, duration: '20s' });

      expect(Math.abs(timeline.amplification.mean - load)).toBeLessThanOrEqual(0.005);
      expect(Math.abs(timeline.successShare.mean - success)).toBeLessThanOrEqual(0.01);
    },
  );

  it('follows the closed forms: load (1 - p^k) / (1 - p), success 1 - p^k', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.double({ min: 0, max: 0.9, noNaN: true }),
        (attempts, share) => {
          const timeline = run(attempts, {
            errorShare: share,
            duration: '1s',
            network: undefined,
            processes: 1,
          });

          const success = 1 - share ** attempts;
          expect(Math.abs(timeline.amplification.mean - success / (1 - share))).toBeLessThan(0.05);
          expect(Math.abs(timeline.successShare.mean - success)).toBeLessThan(0.02);
        },
      ),
      { numRuns: isNight() ? 15 : 5 },
    );
  });
});
