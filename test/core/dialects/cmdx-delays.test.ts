import { computeDelay, delayBounds, isSerializable, type Policy, preview } from '@retry/core';
import { fromCmdx } from '@retry/core/dialects';
import type { CmdxVersion } from '@retry/core/dialects/parity';
import { settingsOf } from '@retry/core/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const MAIN = 'main@fc92e183';

function policyOf(jitter: string | null, version: CmdxVersion = 'v2.0.1'): Policy {
  return fromCmdx({ version, retry_on: { exceptions: [Error], delay: 0.5, jitter } }).policy;
}

function delayOf(policy: Policy, retry: number, previousDelayMs?: number): number {
  return computeDelay(policy, retry, { random: () => 0.25, previousDelayMs });
}

describe("CMDx's strategies", () => {
  // seed 004, with d = 500 ms and u = 0.25; CMDx counts its attempts from 0
  it.each<[string | null, readonly number[]]>([
    [null, [500, 500, 500, 500, 500]], // d
    ['exponential', [500, 1_000, 2_000, 4_000, 8_000]], // d × 2^attempt
    ['linear', [500, 1_000, 1_500, 2_000, 2_500]], // d × (attempt + 1)
    ['fibonacci', [500, 500, 1_000, 1_500, 2_500]], // d × 1, 1, 2, 3, 5
    ['half_random', [312.5, 312.5, 312.5, 312.5, 312.5]], // d/2 + u × d/2
    ['full_random', [125, 125, 125, 125, 125]], // u × d
    ['bounded_random', [625, 625, 625, 625, 625]], // d + u × d
    ['decorrelated_jitter', [750, 750, 750, 750, 750]], // d + u × (3d - d) for the first retry
  ])('have the delays of the seed document: %s', (jitter, delays) => {
    for (const version of ['v2.0.1', MAIN] as const) {
      const policy = policyOf(jitter, version);

      expect([1, 2, 3, 4, 5].map((retry) => delayOf(policy, retry))).toEqual(delays);
    }
  });

  it('grow a decorrelated delay from the previous one, never below the base', () => {
    // main: d + u × (max(3 × previous, d) - d); v2.0.1 has no max, which only a delay below d / 3 would show
    expect(delayOf(policyOf('decorrelated_jitter'), 2, 1_000)).toBe(1_125);
    expect(delayOf(policyOf('decorrelated_jitter', MAIN), 2, 1_000)).toBe(1_125);
    expect(delayOf(policyOf('decorrelated_jitter'), 2, 100)).toBe(500);
    expect(delayOf(policyOf('decorrelated_jitter', MAIN), 2, 100)).toBe(500);
  });

  it('draw a decorrelated run as v2.0.1 does, whatever the delay, the cap and the draws', () => {
    const seconds = fc.double({ min: 0.001, max: 1e6, noNaN: true });
    const draws = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(seconds, fc.option(seconds, { nil: null }), draws, (delay, max_delay, given) => {
        const retry_on = { exceptions: [Error], delay, max_delay, jitter: 'decorrelated_jitter' };
        const { policy } = fromCmdx({ retry_on });
        let [ours, theirs]: [number | undefined, number] = [undefined, delay];
        for (const [index, u] of given.entries()) {
          ours = computeDelay(policy, index + 1, { random: () => u, previousDelayMs: ours });
          theirs = delay + u * (theirs * 3 - delay);
          if (max_delay !== null) theirs = Math.min(theirs, max_delay);

          expect(ours / 1_000).toBeCloseTo(theirs, 6 - Math.ceil(Math.log10(theirs + 1)));
          ours = theirs * 1_000;
        }
      }),
    );
  });

  it('can be previewed and serialized with the decorrelated strategy', () => {
    const retry_on = { exceptions: ['ReadTimeout'], delay: 1, limit: 3, jitter: 'decorrelated_jitter' };
    const { policy } = fromCmdx({ retry_on });

    expect(settingsOf(policy).backoff).toEqual({ type: 'decorrelated', baseMs: 1_000 });
    expect(delayBounds(policy, 2)).toEqual([1_000, 9_000]);
    expect(preview(policy).total.maxMs).toBe(39_000); // 3 + 9 + 27 s
    expect(isSerializable(policy)).toBe(true);
  });

  it.each([
    // 2^30 is 1 073 741 824, the 78th Fibonacci number 8 944 394 323 791 464
    ['exponential', 31, 536_870_912_000],
    ['fibonacci', 78, 4_472_197_161_895_732_000],
  ])('stop growing in version main, and never in v2.0.1: %s at retry %d', (jitter, last, mostMs) => {
    const [main, seed] = [policyOf(jitter, MAIN), policyOf(jitter)];

    expect(delayOf(main, last)).toBe(mostMs);
    expect(delayOf(main, last + 1)).toBe(mostMs);
    expect(delayOf(seed, last)).toBe(mostMs);
    expect(delayOf(seed, last + 1)).toBeGreaterThan(mostMs);
  });

  it.each([null, 'linear', 'full_random', 'decorrelated_jitter'])(
    'have no such limit in version main: %s',
    (jitter) => {
      expect(settingsOf(policyOf(jitter, MAIN)).maxDelayMs).toBe(Infinity);
    },
  );

  it('are capped at max_delay if that is lower', () => {
    const retry_on = { exceptions: [Error], jitter: 'exponential', max_delay: 3 };

    expect(delayOf(fromCmdx({ version: MAIN, retry_on }).policy, 9)).toBe(3_000);
  });
});
