import type { PolicyInput } from '@retry/core';
import { definePolicy, lintPolicy } from '@retry/core';
import type { WorldInput } from '@retry/core/simulate';
import { simulate } from '@retry/core/simulate';
import { describe, expect, it } from 'vitest';
import { readText } from '../../support/repository.ts';

// Marc Brooker, "simple_collapse_sim": a server that takes 1 s and 10 ms more for each request under way, messages of
// 0.1 s, attempts of at most 3 s, three of them, 40 calls a second.
const WORLD = {
  server: { type: 'concurrency', latency: '1s', perRequest: 10 },
  network: { type: 'exponential', mean: 100 },
  attemptTimeout: '3s',
} as const satisfies Partial<WorldInput>;

/** Twice the calls for 5 s. */
const SPIKE = [
  { at: 0, perSecond: 40 },
  { at: '20s', perSecond: 40 },
  { at: '20s', perSecond: 80 },
  { at: '25s', perSecond: 80 },
  { at: '25s', perSecond: 40 },
] as const;

/** Up to twice the calls in 25 s, and down again. */
const RAMP = [
  { at: 0, perSecond: 40 },
  { at: '25s', perSecond: 80 },
  { at: '50s', perSecond: 40 },
] as const;

const AT_ONCE: PolicyInput = { maxAttempts: 3, backoff: { type: 'none' } };

/** His first retry waits for up to 20 s, the second one for up to 40 s. */
const JITTER: PolicyInput = {
  maxAttempts: 3,
  backoff: { type: 'exponential', base: '20s' },
  maxDelay: '40s',
};

const RUNS = 100;

function collapsedSeeds(
  input: PolicyInput,
  perSecond: typeof SPIKE | typeof RAMP,
  budget?: WorldInput['budget'],
): number {
  const duration = perSecond === SPIKE ? '55s' : '80s';
  const world = { ...WORLD, traffic: { perSecond }, duration, budget } as const;
  return simulate(definePolicy(input), world, { runs: RUNS }).collapsedShare * RUNS;
}

describe("Brooker's collapse", () => {
  it('stays down in 60 to 85 of 100 seeds after a spike, with three attempts without backoff', () => {
    const seeds = collapsedSeeds(AT_ONCE, SPIKE);

    expect(seeds).toBeGreaterThanOrEqual(60);
    expect(seeds).toBeLessThanOrEqual(85);
    expect(readText('docs/storms.md')).toContain(`| ${seeds}; 1; 100; 0 |`);
  });

  it('stays down in at most 2 of 100 seeds after a spike, with full jitter', () => {
    expect(collapsedSeeds(JITTER, SPIKE)).toBeLessThanOrEqual(2);
  });

  it('stays down in at least 98 of 100 seeds after a ramp with full jitter, and with a shared budget of 10 % in at most 2', () => {
    const alone = collapsedSeeds(JITTER, RAMP);
    const budgeted = collapsedSeeds(JITTER, RAMP, { type: 'ratio', ratio: 0.1, minPerSecond: 0 });

    expect(alone).toBeGreaterThanOrEqual(98);
    expect(budgeted).toBeLessThanOrEqual(2);
    // The figures of MAY_NOT_RECOVER.
    const warning = lintPolicy(definePolicy(JITTER), { traffic: 'open' }).find(
      ({ code }) => code === 'MAY_NOT_RECOVER',
    );
    expect(warning?.message).toContain(
      `kept the server down in ${alone}, with a budget of 10 % in ${budgeted}`,
    );
  });
});
