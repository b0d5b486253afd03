import { computeDelay, type PolicyInput } from '@retry/core';
import {
  ExponentialBackoff,
  fullJitterGenerator,
  halfJitterGenerator,
  handleAll,
  noJitterGenerator,
  retry,
} from 'cockatiel';
import pRetry from 'p-retry';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { seededRandom } from '../../support/seeded-random.ts';
import { criticalDistance, distanceOf } from '../kolmogorov-smirnov.ts';
import { ENDS, expectEnds, exported, type Recorded } from './exported-policies.ts';

const EXPONENTIAL = { type: 'exponential', base: '1s' } as const;

let waitedMs: number[] = [];

beforeEach(() => {
  waitedMs = [];
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, delayMs = 0) => {
    waitedMs.push(delayMs);
    setImmediate(run);
    return { unref: () => {} };
  }) as unknown as typeof setTimeout); // the libraries use nothing else of it
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns the delays of a call that always fails, with `Math.random` at this number. */
async function record(drawn: number, call: () => Promise<unknown>): Promise<Recorded> {
  waitedMs = [];
  vi.spyOn(Math, 'random').mockReturnValue(drawn);
  await expect(call()).rejects.toThrow('down');
  return waitedMs;
}

async function recordEnds(call: () => Promise<unknown>): Promise<readonly [Recorded, Recorded]> {
  const [lowest = 0, highest = 0] = ENDS;
  return [await record(lowest, call), await record(highest, call)];
}

async function fail(): Promise<never> {
  throw new Error('down');
}

const GENERATORS = { fullJitterGenerator, halfJitterGenerator, noJitterGenerator };

function cockatielOf(options: Readonly<Record<string, unknown>>) {
  const { maxAttempts, generator, ...backoff } = options as {
    readonly maxAttempts: number;
    readonly generator: keyof typeof GENERATORS;
  };
  return retry(handleAll, {
    maxAttempts,
    backoff: new ExponentialBackoff({ ...backoff, generator: GENERATORS[generator] }),
  });
}

describe('p-retry waits as an exported policy says', () => {
  it.each<PolicyInput>([
    { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'none' },
    { maxAttempts: 8, backoff: { ...EXPONENTIAL, base: 250, factor: 3 }, jitter: 'none', maxDelay: '30s' },
    { maxAttempts: 6, backoff: { ...EXPONENTIAL, factor: 1.5 }, jitter: 'none', maxDelay: '4s' },
    { maxAttempts: 4, backoff: { type: 'constant', base: '2s' }, jitter: 'none' },
    { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'bounded', capAt: 'after-jitter', maxDelay: 'Infinity' },
    { maxAttempts: 7, backoff: EXPONENTIAL, jitter: 'bounded', capAt: 'after-jitter', maxDelay: '10s' },
    { maxAttempts: 3, backoff: { type: 'constant', base: 700 }, jitter: 'bounded', capAt: 'after-jitter' },
    { maxAttempts: 1 },
    { maxAttempts: 2, backoff: { ...EXPONENTIAL, base: '1m' }, jitter: 'none', maxDelay: '1h' },
    { maxAttempts: 11, backoff: EXPONENTIAL, jitter: 'none', maxDelay: 'Infinity' },
  ])('%j', async (input) => {
    const { policy, options } = exported('p-retry', input);

    expectEnds(policy, await recordEnds(() => pRetry(fail, options)));
  });
});

describe('cockatiel waits as an exported policy says', () => {
  it.each<PolicyInput>([
    { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'none' },
    { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'full', maxDelay: 'Infinity' },
    { maxAttempts: 5, backoff: EXPONENTIAL, jitter: 'equal', maxDelay: 'Infinity' },
    { maxAttempts: 9, backoff: EXPONENTIAL, jitter: 'full', maxDelay: '30s' },
    { maxAttempts: 9, backoff: { ...EXPONENTIAL, base: 100 }, jitter: 'equal', maxDelay: '2s' },
    { maxAttempts: 9, backoff: { ...EXPONENTIAL, base: 100 }, jitter: 'none', maxDelay: '2s' },
    { maxAttempts: 2, backoff: { ...EXPONENTIAL, base: '1m' }, jitter: 'full', maxDelay: '1h' },
    { maxAttempts: 4, backoff: { ...EXPONENTIAL, base: 50 }, jitter: 'full' },
    { maxAttempts: 1 },
    { maxAttempts: 12, backoff: { ...EXPONENTIAL, base: 250 }, jitter: 'equal', maxDelay: '1m' },
  ])('%j', async (input) => {
    const { policy, options } = exported('cockatiel', input);

    expectEnds(policy, await recordEnds(() => cockatielOf(options).execute(fail)));
  });
});

describe('the delays of a thousand calls are distributed as those of the exported policy', () => {
  const DRAWN = { maxAttempts: 4, backoff: EXPONENTIAL, maxDelay: 'Infinity' } as const;

  it.each([
    ['p-retry, bounded', 'p-retry', 'bounded'],
    ['cockatiel, full', 'cockatiel', 'full'],
    ['cockatiel, equal', 'cockatiel', 'equal'],
  ] as const)('of %s', async (_title, system, jitter) => {
    const { policy, options } = exported(system, {
      ...DRAWN,
      jitter,
      ...(jitter === 'bounded' && { capAt: 'after-jitter' }),
    });
    const call =
      system === 'p-retry' ? () => pRetry(fail, options) : () => cockatielOf(options).execute(fail);
    vi.spyOn(Math, 'random').mockImplementation(seededRandom(1));
    for (let made = 0; made < 1_000; made += 1) await expect(call()).rejects.toThrow('down');

    for (const retry of [1, 2, 3]) {
      const random = seededRandom(retry + 1);
      const theirs = waitedMs.filter((_delay, index) => index % 3 === retry - 1);
      const ours = theirs.map(() => computeDelay(policy, retry, { random }));
      expect(distanceOf(theirs, ours), `retry ${retry}`).toBeLessThanOrEqual(criticalDistance(1_000));
      // A spread that is half as wide is noticed.
      const narrower = ours.map((delayMs) => (delayMs + Math.max(...ours)) / 2);
      expect(distanceOf(theirs, narrower)).toBeGreaterThan(criticalDistance(1_000));
    }
  });
});
