import type { PolicyInput } from '@retry/core';
import { definePolicy } from '@retry/core';
import type { Timeline } from '@retry/core/simulate';
import { simulate } from '@retry/core/simulate';
import { describe, expect, it } from 'vitest';
import { isNight } from '../../support/some-tests.ts';

// AWS Architecture Blog, "Exponential Backoff and Jitter", and its simulator: clients that update one row under an
// optimistic lock, base 5 ms, cap 2 s, each message |N(10, 2)| ms, 100 runs. Its first retry waits for twice the base.
const WORLD = {
  server: { type: 'optimistic-lock' },
  network: { type: 'normal', mean: 10, deviation: 2 },
} as const;

const exponential = { type: 'exponential', base: 10 } as const;

/** The original draws first and caps then, so that late delays pile up on the cap. */
const original = {
  type: 'custom',
  base: 5,
  strategy: (
    _retry: number,
    context: { random: () => number; previousDelayMs?: number | undefined; baseMs: number },
  ) => {
    const { random, previousDelayMs, baseMs } = context;
    return Math.min(2_000, baseMs + random() * ((previousDelayMs ?? baseMs) * 3 - baseMs));
  },
} as const;

/** Calls at 50, 100 and 190 clients, and the milliseconds until the last of 100 clients has succeeded. */
const PUBLISHED: readonly (readonly [string, PolicyInput, readonly [number, number, number], number])[] = [
  ['no backoff', { backoff: { type: 'none' } }, [687, 2_420, 8_010], 2_021],
  ['exponential', { backoff: exponential, jitter: 'none' }, [620, 1_860, 5_170], 63_637],
  ['equal jitter', { backoff: exponential, jitter: 'equal' }, [347, 811, 1_759], 6_620],
  ['full jitter', { backoff: exponential, jitter: 'full' }, [333, 797, 1_773], 4_924],
  ['decorrelated', { backoff: original, jitter: 'none' }, [374, 999, 2_438], 4_585],
];

/** By day those with the most jitter. */
const PLAYED = isNight() ? PUBLISHED : PUBLISHED.slice(-2);

function run(input: PolicyInput, clients: number, runs = 100): Timeline {
  const policy = definePolicy({ maxAttempts: Infinity, maxDelay: '2s', ...input });
  return simulate(policy, { ...WORLD, traffic: { type: 'closed', clients, calls: 1 } }, { runs, seed: 7 });
}

describe("AWS' backoff simulator", () => {
  it.each(PLAYED)('counts the published calls: %s', (_name, input, calls, lastEndMs) => {
    const timelines = [50, 100, 190].map((clients) => run(input, clients));

    for (const [index, timeline] of timelines.entries()) {
      expect(Math.abs(timeline.attempts.mean / (calls[index] ?? 0) - 1)).toBeLessThanOrEqual(0.02);
      expect(timeline.successShare.mean).toBe(1);
    }
    expect(Math.abs((timelines[1]?.lastEndMs.mean ?? 0) / lastEndMs - 1)).toBeLessThanOrEqual(0.06);
  });

  it('makes as many calls with our decorrelated backoff, which draws below the cap, and is done sooner', () => {
    const timeline = run({ backoff: { type: 'decorrelated', base: 5 } }, 100);

    expect(Math.abs(timeline.attempts.mean / 999 - 1)).toBeLessThanOrEqual(0.02);
    expect(timeline.lastEndMs.mean).toBeLessThan(4_585);
  });

  it('finds a jitter that is broken: one that draws from the upper tenth only', () => {
    const broken = run({ backoff: exponential, jitter: { down: 0.1 } }, 50, 30);

    expect(Math.abs(broken.attempts.mean / 333 - 1)).toBeGreaterThan(0.02);
  });
});
