import { delayBounds, InvalidOptionsError } from '@retry/core';
import { ALL_SYSTEMS } from '@retry/core/dialects/all';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import fc from 'fast-check';
import * as retry from 'retry';
import { describe, expect, it, vi } from 'vitest';

function read(name: string, options: object) {
  const system = ALL_SYSTEMS.find((known) => known.name === name);
  if (system === undefined) throw new Error(`no system ${name}`);
  return system.from(options).policy;
}

function attemptsOf(name: string, options: object) {
  return allowedAttempts(settingsOf(read(name, options)));
}

/** The longest delays of the first retries. */
function delaysOf(name: string, options: object, count: number) {
  return Array.from({ length: count }, (_, index) => delayBounds(read(name, options), index + 1)[1]);
}

describe('async-retry', () => {
  const options = fc.record({
    retries: fc.integer({ min: 1, max: 12 }),
    factor: fc.constantFrom(0, 0.1, 0.5, 0.99, 1, 1.5, 2, 3),
    minTimeout: fc.constantFrom(0, 0.5, 1, 50, 1_000),
    maxTimeout: fc.constantFrom(1_000, 4_000, Infinity),
    randomize: fc.boolean(),
    forever: fc.boolean(),
  });

  /** What the package `retry`, which it uses, computes for one draw. */
  function timeoutsOf(given: object, drawn: number): readonly number[] {
    const random = vi.spyOn(Math, 'random').mockReturnValue(drawn);
    try {
      return retry.timeouts(given);
    } finally {
      random.mockRestore();
    }
  }

  it.each([
    ['lowest', 0, 0],
    ['highest', 1, 1 - 2 ** -53],
  ])('waits what the package retry computes, with the %s draw', (_name, end, drawn) => {
    fc.assert(
      fc.property(options, (given) => {
        const policy = read('async-retry', given);
        for (const [index, ms] of timeoutsOf(given, drawn).entries()) {
          const ours = delayBounds(policy, index + 1)[end] ?? Number.NaN;
          expect(Math.abs(ours - ms), `${ours} instead of ${ms}`).toBeLessThanOrEqual(0.5); // it rounds
        }
      }),
    );
  });

  it('refuses a minTimeout above maxTimeout, as that package does', () => {
    const given = { minTimeout: 200, maxTimeout: 100 };

    expect(() => retry.timeouts(given)).toThrow('minTimeout');
    expect(() => read('async-retry', given)).toThrow(InvalidOptionsError);
  });
});

describe('ts-retry-promise', () => {
  it("reads 'INFINITELY' as no limit", () => {
    expect(attemptsOf('ts-retry-promise', { retries: 'INFINITELY' })).toBe(Infinity);
    expect(settingsOf(read('ts-retry-promise', { timeout: 'INFINITELY' })).totalTimeoutMs).toBe(Infinity);
  });
});

describe('google-gax', () => {
  it.each([0, 1, 2, 8])('makes as many calls as its loop does with maxRetries: %d', (maxRetries) => {
    // `retries && retries >= maxRetries` ends it, before a call is made and counted.
    let calls = 0;
    do calls += 1;
    while (calls < maxRetries);

    expect(attemptsOf('google-gax', { backoffSettings: { maxRetries } })).toBe(calls);
  });

  it('refuses maxRetries and totalTimeoutMillis together, as it does', () => {
    const backoffSettings = { maxRetries: 2, totalTimeoutMillis: 1_000 };

    expect(() => read('google-gax', { backoffSettings })).toThrow('both maxRetries and totalTimeoutMillis');
    expect(() => read('google-gax', { backoffSettings: { totalTimeoutMillis: 1_000 } })).not.toThrow();
  });
});

describe('backoff of Python', () => {
  it('waits what decay yields', () => {
    const given = { generator: 'decay', initial_value: 100, decay_factor: 3, min_value: 5, jitter: 'None' };
    const yielded = [0, 1, 2, 3, 4].map((t) => Math.max(100 * Math.E ** (-t * 3), 5) * 1_000);

    for (const [index, ms] of delaysOf('python-backoff', given, 5).entries())
      expect(ms).toBeCloseTo(yielded[index] ?? Number.NaN, 6);
  });

  it('gives up after the last one of a list of intervals', () => {
    const given = { generator: 'constant', interval: [1, 2, 3], jitter: 'None' };

    expect(delaysOf('python-backoff', given, 3)).toEqual([1_000, 2_000, 3_000]);
    expect(attemptsOf('python-backoff', given)).toBe(4);
    expect(attemptsOf('python-backoff', { ...given, max_tries: 2 })).toBe(2);
    expect(attemptsOf('python-backoff', { ...given, interval: 3 })).toBe(Infinity);
  });

  it('has no jitter where it is null, which is None there', () => {
    expect(delayBounds(read('python-backoff', { generator: 'constant', jitter: null }), 1)).toEqual([
      1_000, 1_000,
    ]);
  });
});
