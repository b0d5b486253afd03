import type { JitterInput, Policy } from '@retry/core';
import { computeDelay, definePolicy, delayBounds } from '@retry/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../support/property-runs.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const DRAWS = 10_000;

/** Durations as people write them, so that there are many numbers between two bounds. */
const times = fc.oneof(fc.integer({ min: 1, max: 60_000 }), fc.double({ min: 0.01, max: 1e9, noNaN: true }));
const shares = fc.double({ min: 0.01, max: 1, noNaN: true });

const jitters: fc.Arbitrary<JitterInput> = fc.oneof(
  fc.constantFrom('full' as const, 'equal' as const, 'bounded' as const),
  fc.record({ proportional: shares }),
  fc.record({ down: shares }),
  fc.record({ minus: times, plus: times }),
);

const steady = fc.oneof(
  fc.record({ type: fc.constantFrom('constant' as const, 'fibonacci' as const), base: times }),
  fc.record({ type: fc.constant('linear' as const), base: times, increment: times }),
  fc.record({
    type: fc.constant('exponential' as const),
    base: times,
    factor: fc.double({ min: 0.5, max: 4, noNaN: true }),
  }),
);

const limits = fc
  .record({ minDelay: fc.oneof(fc.constant(0), times), room: fc.oneof(times, fc.constant(Infinity)) })
  .map(({ minDelay, room }) => ({ minDelay, maxDelay: minDelay + room }));

const spread = fc
  .tuple(fc.record({ backoff: steady, jitter: jitters }), limits)
  .map(([delays, bounds]) => definePolicy({ ...delays, ...bounds }));

const decorrelated = fc
  .tuple(times, limits, fc.oneof(jitters, fc.constant('none' as const)))
  .map(([base, bounds, jitter]) =>
    definePolicy({ backoff: { type: 'decorrelated', base }, jitter, ...bounds }),
  );

/** Returns how many of the delays are exactly a bound of their retry. */
function onBounds(policy: Policy, retryOf: (draw: number) => number, seed: number): number {
  const random = seededRandom(seed);
  let previousDelayMs: number | undefined;
  let count = 0;
  for (let draw = 0; draw < DRAWS; draw += 1) {
    const retry = retryOf(draw);
    const [minMs, maxMs] = delayBounds(policy, retry);
    if (retry === 1) previousDelayMs = undefined;
    previousDelayMs = computeDelay(policy, retry, { random, previousDelayMs });
    // Between two bounds that are nearly equal there are only a few doubles.
    const isWide = maxMs - minMs > maxMs * 1e-6;
    if (isWide && (previousDelayMs === minMs || previousDelayMs === maxMs)) count += 1;
  }
  return count;
}

describe('computeDelay of a continuous jitter', () => {
  it('puts no more than a stray draw of 10 000 on a bound, whatever the limits', () => {
    fc.assert(
      fc.property(spread, fc.integer({ min: 1, max: 40 }), fc.nat(), (policy, retry, seed) => {
        expect(onBounds(policy, () => retry, seed)).toBeLessThan(10);
      }),
      { numRuns: propertyRuns(1 / 4) },
    );
  });

  it('puts no more than a stray draw on a bound of decorrelated backoff, run after run of 20 retries', () => {
    fc.assert(
      fc.property(decorrelated, fc.nat(), (policy, seed) => {
        expect(onBounds(policy, (draw) => (draw % 20) + 1, seed)).toBeLessThan(10);
      }),
      { numRuns: propertyRuns(1 / 10) },
    );
  });

  it('draws between the lowest delay and the amount, each tenth of it as often', () => {
    // Full jitter of 1 s above 500 ms: half of the draws would be raised to it.
    const policy = definePolicy({ backoff: { type: 'constant', base: '1s' }, minDelay: '500ms' });
    const random = seededRandom(7);

    const tenths = Array.from({ length: 10 }, () => 0);
    for (let draw = 0; draw < DRAWS; draw += 1) {
      const delayMs = computeDelay(policy, 1, { random });
      tenths[Math.floor((delayMs - 500) / 50)] = (tenths[Math.floor((delayMs - 500) / 50)] ?? 0) + 1;
    }

    expect(Math.min(...tenths)).toBeGreaterThan(850);
    expect(Math.max(...tenths)).toBeLessThan(1_150);
  });
});
