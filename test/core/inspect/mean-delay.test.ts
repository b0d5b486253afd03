import type { Policy, PolicyInput } from '@retry/core';
import { computeDelay, definePolicy, preview } from '@retry/core';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../support/seeded-random.ts';

const SEED = 20_240_607;
const DRAWS = 20_000;

/** Average delay before this retry over many runs; each run draws its own delays before it. */
function averageDelay(policy: Policy, retry: number): number {
  const random = seededRandom(SEED);
  let sum = 0;
  for (let count = 0; count < DRAWS; count += 1) {
    let previousDelayMs: number | undefined;
    for (let step = 1; step <= retry; step += 1) {
      previousDelayMs = computeDelay(policy, step, { random, previousDelayMs });
    }
    sum += previousDelayMs ?? Number.NaN;
  }
  return sum / DRAWS;
}

function meanOf(policy: Policy, retry = 1): number {
  return preview(policy).retries[retry - 1]?.delay.meanMs ?? Number.NaN;
}

const second = { backoff: { type: 'constant', base: '1s' } } as const;

describe('the mean of a previewed delay', () => {
  it.each<[string, number, PolicyInput]>([
    ['no jitter', 1_000, { jitter: 'none' }],
    ['full jitter', 500, { jitter: 'full' }],
    ['equal jitter', 750, { jitter: 'equal' }],
    ['bounded jitter', 1_500, { jitter: 'bounded' }],
    ['proportional jitter', 1_000, { jitter: { proportional: 0.5 } }],
    ['full jitter below a cap', 200, { jitter: 'full', maxDelay: 400 }],
    ['equal jitter below a cap', 450, { jitter: 'equal', maxDelay: 600 }],
    ['bounded jitter below a cap, room left for it', 900, { jitter: 'bounded', maxDelay: 1_200 }],
    [
      'proportional jitter below a cap, room left for it',
      800,
      { jitter: { proportional: 0.5 }, maxDelay: 1_200 },
    ],
    ['full jitter cut after it', 320, { jitter: 'full', maxDelay: 400, capAt: 'after-jitter' }],
    ['equal jitter cut after it', 590, { jitter: 'equal', maxDelay: 600, capAt: 'after-jitter' }],
    ['bounded jitter cut after it', 1_180, { jitter: 'bounded', maxDelay: 1_200, capAt: 'after-jitter' }],
    [
      'proportional jitter cut after it',
      875,
      { jitter: { proportional: 0.5 }, maxDelay: 1_000, capAt: 'after-jitter' },
    ],
    ['a cap below all jitter', 300, { jitter: 'equal', maxDelay: 300, capAt: 'after-jitter' }],
    ['bounded jitter over its cap', 1_200, { jitter: 'bounded', maxDelay: 800, capAt: 'ignores-jitter' }],
    [
      'proportional jitter over its cap',
      800,
      { jitter: { proportional: 0.5 }, maxDelay: 800, capAt: 'ignores-jitter' },
    ],
    ['a lowest delay within the jitter', 650, { jitter: 'full', minDelay: 300 }],
    ['a lowest delay above all jitter', 2_000, { jitter: 'full', minDelay: '2s' }],
    [
      'both limits within the jitter',
      465,
      { jitter: 'full', minDelay: 300, maxDelay: 600, capAt: 'after-jitter' },
    ],
    ['whole units', 500, { jitter: 'full', granularity: 100 }],
    ['whole units of equal jitter', 750, { jitter: 'equal', granularity: 100 }],
    [
      'an odd number of whole units: 300, 400 or 500 ms',
      400,
      { jitter: 'equal', granularity: 100, backoff: { type: 'constant', base: 500 } },
    ],
    [
      'an odd number of milliseconds without units: 500.5 to 1001 ms',
      750.75,
      { jitter: 'equal', backoff: { type: 'constant', base: 1_001 } },
    ],
    ['a lowest delay within equal jitter: from 700 to 1000 ms', 850, { jitter: 'equal', minDelay: 700 }],
  ])('is the average of many draws: %s', (_name, expectedMs, input) => {
    const policy = definePolicy({ ...second, ...input });

    expect(meanOf(policy)).toBeCloseTo(expectedMs, 6);
    // 20 000 draws of a range of 1 s miss their mean by 2 ms (one sigma); 10 ms is five.
    expect(Math.abs(averageDelay(policy, 1) - expectedMs)).toBeLessThan(10);
  });

  it.each<[number, PolicyInput]>([
    [4_000, { jitter: 'none', maxAttempts: 4, backoff: { type: 'exponential', base: '1s' } }],
    [2_000, { jitter: 'full', maxAttempts: 4, backoff: { type: 'exponential', base: '1s' } }],
    [1_500, { jitter: 'full', maxAttempts: 4, backoff: { type: 'linear', base: '1s' } }],
  ])('is %d ms before retry 3 of %j', (expectedMs, input) => {
    expect(meanOf(definePolicy(input), 3)).toBe(expectedMs);
  });

  it('is exact before the first retry of a decorrelated backoff, and approximate after it', () => {
    const policy = definePolicy({
      maxAttempts: 4,
      backoff: { type: 'decorrelated', base: 100 },
      maxDelay: '10s',
    });

    expect(meanOf(policy, 1)).toBe(200);
    // An approximation, as documented: 10 % is the tolerance, with the sampling error in it.
    expect(Math.abs(meanOf(policy, 3) / averageDelay(policy, 3) - 1)).toBeLessThan(0.1);
  });

  it('is within one unit of the draws if a limit cuts whole units', () => {
    const policy = definePolicy({
      backoff: { type: 'constant', base: '10s' },
      maxDelay: '5s',
      granularity: '1s',
      capAt: 'after-jitter',
    });

    expect(Math.abs(meanOf(policy) - averageDelay(policy, 1))).toBeLessThan(1_000);
  });

  it('calls a custom strategy once, with a random of 0.5', () => {
    const spread = {
      type: 'custom',
      strategy: (_: number, context: { random: () => number }) => context.random() * 800,
    } as const;

    expect(meanOf(definePolicy({ backoff: spread, jitter: 'none' }))).toBe(400);
  });

  it('is the base of a custom strategy that throws', () => {
    const strategy = (): never => {
      throw new Error('strategy');
    };

    expect(meanOf(definePolicy({ backoff: { type: 'custom', strategy, base: 70 }, jitter: 'none' }))).toBe(
      70,
    );
  });

  it.each<[string, PolicyInput]>([
    ['under a cap', { jitter: { proportional: 1 }, maxDelay: 1_000, capAt: 'after-jitter' }],
    ['without a cap', { jitter: { proportional: 0.1 }, maxDelay: 'Infinity', capAt: 'after-jitter' }],
    ['over its cap', { jitter: { proportional: 0.1 }, maxDelay: 'Infinity', capAt: 'ignores-jitter' }],
    [
      'with whole units',
      { jitter: 'bounded', maxDelay: 'Infinity', capAt: 'after-jitter', granularity: '1s' },
    ],
  ])('is a number even if the backoff exceeds the largest double: %s', (_name, input) => {
    const policy = definePolicy({
      maxAttempts: 400,
      backoff: { type: 'exponential', base: 1, factor: 10 },
      ...input,
    });

    const { delay } = preview(policy).retries.at(-1) ?? { delay: undefined };

    expect(delay?.meanMs).toBeGreaterThanOrEqual(delay?.minMs ?? Number.NaN);
    expect(delay?.meanMs).toBeLessThanOrEqual(delay?.maxMs ?? Number.NaN);
  });
});
