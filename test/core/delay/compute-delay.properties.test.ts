import { computeDelay, definePolicy } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  draws,
  growingBackoffs,
  hostileDraws,
  policyInputs,
  policyInputsWith,
  retries,
  sourceOf,
} from '../../support/arbitraries.ts';

const policies = policyInputs.map((input) => definePolicy(input));
const sequences = fc.array(draws, { minLength: 1, maxLength: 4 });
const brokenSequences = fc.array(fc.oneof(draws, hostileDraws), { minLength: 1, maxLength: 4 });
const histories = fc.option(fc.oneof(fc.double(), fc.integer({ min: 0, max: 60_000 })), { nil: undefined });

describe('computeDelay', () => {
  it('is never NaN, negative or infinite, whatever the retry, the draws and the history', () => {
    fc.assert(
      fc.property(
        policies,
        fc.oneof(retries, fc.double()),
        brokenSequences,
        histories,
        (policy, retry, given, previousDelayMs) => {
          const delayMs = computeDelay(policy, retry, { random: sourceOf(given), previousDelayMs });

          expect(Number.isFinite(delayMs)).toBe(true);
          expect(delayMs).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  it('never falls below minDelayMs, whatever the draws', () => {
    fc.assert(
      fc.property(policies, retries, brokenSequences, histories, (policy, retry, given, previousDelayMs) => {
        const delayMs = computeDelay(policy, retry, { random: sourceOf(given), previousDelayMs });

        expect(delayMs).toBeGreaterThanOrEqual(settingsOf(policy).minDelayMs);
      }),
    );
  });

  it('never exceeds maxDelayMs unless only the backoff is capped, whatever the draws', () => {
    fc.assert(
      fc.property(policies, retries, brokenSequences, histories, (policy, retry, given, previousDelayMs) => {
        fc.pre(settingsOf(policy).capAt !== 'ignores-jitter');

        const delayMs = computeDelay(policy, retry, { random: sourceOf(given), previousDelayMs });

        expect(delayMs).toBeLessThanOrEqual(settingsOf(policy).maxDelayMs);
      }),
    );
  });

  it('never shrinks from one retry to a later one without jitter', () => {
    fc.assert(
      fc.property(policyInputsWith(growingBackoffs), retries, retries, (input, one, other) => {
        const policy = definePolicy({ ...input, jitter: 'none' });
        const delayAt = (retry: number) => computeDelay(policy, retry, { random: sourceOf([0]) });

        const [earlier, later] = [Math.min(one, other), Math.max(one, other)];

        expect(delayAt(later)).toBeGreaterThanOrEqual(delayAt(earlier));
      }),
    );
  });

  it('returns the same delay for the same draws', () => {
    fc.assert(
      fc.property(policies, retries, sequences, histories, (policy, retry, given, previousDelayMs) => {
        const draw = () => computeDelay(policy, retry, { random: sourceOf(given), previousDelayMs });

        expect(draw()).toBe(draw());
      }),
    );
  });

  it('is a whole multiple of the granularity', () => {
    fc.assert(
      fc.property(policies, retries, sequences, histories, (policy, retry, given, previousDelayMs) => {
        const { granularityMs, minDelayMs } = settingsOf(policy);
        // Of a minimum next to 2^53 a double may represent no multiple above it.
        fc.pre(granularityMs > 0);
        fc.pre(Number.isSafeInteger(Math.ceil(minDelayMs / granularityMs) * granularityMs));

        const delayMs = computeDelay(policy, retry, { random: sourceOf(given), previousDelayMs });

        // Beyond 2^53 a double cannot represent the remainder.
        expect(Number.isSafeInteger(delayMs) ? delayMs % granularityMs : 0).toBe(0);
        expect(delayMs > 2 ** 53 || Number.isInteger(delayMs)).toBe(true);
      }),
    );
  });

  it('does not change the policy', () => {
    fc.assert(
      fc.property(policies, retries, sequences, (policy, retry, given) => {
        const before = structuredCloneOf(policy);

        computeDelay(policy, retry, { random: sourceOf(given) });

        expect(structuredCloneOf(policy)).toEqual(before);
      }),
    );
  });
});

/** Returns the value as text, without functions and classes. */
function structuredCloneOf(value: unknown): string {
  return JSON.stringify(value, (_key, entry) => (entry === Infinity ? 'Infinity' : entry));
}
