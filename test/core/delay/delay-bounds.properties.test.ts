import { computeDelay, definePolicy, delayBounds, type Policy, type PolicyInput } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  draws,
  durations,
  JUST_UNDER_1,
  policyInputs,
  policyInputsWith,
  retries,
  sourceOf,
  steadyBackoffs,
} from '../../support/arbitraries.ts';

/** Draws a sequence of delays, each from the previous one. */
function chainOf(policy: Policy, retryCount: number, random: () => number): readonly number[] {
  const delays: number[] = [];
  for (let retry = 1; retry <= retryCount; retry += 1) {
    delays.push(computeDelay(policy, retry, { random, previousDelayMs: delays.at(-1) }));
  }
  return delays;
}

/**
 * What the lowest draw is exact to. Proportional jitter takes a share of an amount away; where the cap comes
 * after it, that amount is as large as it has grown.
 */
function lowScaleOf(policy: Policy, input: PolicyInput, retry: number): number {
  const isUncut =
    settingsOf(policy).capAt === 'after-jitter' && typeof settingsOf(policy).jitter === 'object';
  return delayBounds(isUncut ? definePolicy({ ...input, maxDelay: Infinity }) : policy, retry)[1];
}

const decorrelated = fc.record({ type: fc.constant('decorrelated' as const), base: durations });
const sequences = fc.array(draws, { minLength: 1, maxLength: 8 });

describe('delayBounds', () => {
  it('include every drawn delay', () => {
    fc.assert(
      fc.property(policyInputsWith(steadyBackoffs), retries, draws, (input, retry, draw) => {
        const policy = definePolicy(input);
        const [minMs, maxMs] = delayBounds(policy, retry);

        const delayMs = computeDelay(policy, retry, { random: () => draw });

        expect(delayMs).toBeGreaterThanOrEqual(minMs);
        expect(delayMs).toBeLessThanOrEqual(maxMs);
      }),
    );
  });

  it.each([
    ['any policy', policyInputs],
    ['decorrelated backoff', policyInputsWith(decorrelated)],
  ])('include every delay of a sequence, for %s', (_name, inputs) => {
    fc.assert(
      fc.property(inputs, sequences, (input, given) => {
        const policy = definePolicy(input);

        for (const [index, delayMs] of chainOf(policy, 12, sourceOf(given)).entries()) {
          const [minMs, maxMs] = delayBounds(policy, index + 1);
          expect(delayMs).toBeGreaterThanOrEqual(minMs);
          expect(delayMs).toBeLessThanOrEqual(maxMs);
        }
      }),
    );
  });

  it('are both reached by the most extreme draws', () => {
    // Proportional jitter is lowest just under ½: the lower half of the draws goes down.
    const extremes = [0, 0.5 - 2 ** -54, JUST_UNDER_1];
    fc.assert(
      fc.property(policyInputsWith(steadyBackoffs), retries, (input, retry) => {
        const policy = definePolicy(input);
        const [minMs, maxMs] = delayBounds(policy, retry);

        const drawn = extremes.map((draw) => computeDelay(policy, retry, { random: () => draw }));

        expect(Math.min(...drawn) - minMs).toBeLessThanOrEqual(lowScaleOf(policy, input, retry) * 1e-12);
        expect(maxMs - Math.max(...drawn)).toBeLessThanOrEqual(maxMs * 1e-12);
      }),
    );
  });

  it('are both reached by sequences of decorrelated backoff that always draw the lowest or the highest', () => {
    fc.assert(
      fc.property(decorrelated, fc.integer({ min: 1, max: 12 }), fc.boolean(), (backoff, retry, isCapped) => {
        const policy = definePolicy({ backoff, ...(isCapped ? {} : { maxDelay: Infinity }) });
        const [minMs, maxMs] = delayBounds(policy, retry);

        const least = chainOf(policy, retry, () => 0).at(-1);
        const most = chainOf(policy, retry, () => JUST_UNDER_1).at(-1) ?? Number.NaN;

        expect(least).toBe(minMs);
        expect(maxMs - most).toBeLessThanOrEqual(maxMs * 1e-12);
      }),
    );
  });

  it('are ordered, finite and not negative, for any retry', () => {
    fc.assert(
      fc.property(policyInputs, fc.oneof(retries, fc.double()), (input, retry) => {
        const [minMs, maxMs] = delayBounds(definePolicy(input), retry);

        expect(minMs).toBeGreaterThanOrEqual(0);
        expect(maxMs).toBeGreaterThanOrEqual(minMs);
        expect(maxMs).toBeLessThan(Infinity);
      }),
    );
  });

  it('are within the limits of the policy, unless only the backoff is capped', () => {
    fc.assert(
      fc.property(policyInputs, retries, (input, retry) => {
        const policy = definePolicy(input);
        const [minMs, maxMs] = delayBounds(policy, retry);

        expect(minMs).toBeGreaterThanOrEqual(settingsOf(policy).minDelayMs);
        expect(settingsOf(policy).capAt === 'ignores-jitter' || maxMs <= settingsOf(policy).maxDelayMs).toBe(
          true,
        );
      }),
    );
  });
});
