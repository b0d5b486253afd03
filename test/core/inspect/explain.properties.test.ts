import type { Counters, PolicyInput } from '@retry/core';
import { decide, definePolicy, explain } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyInputs } from '../../support/arbitraries.ts';
import { thrownValues } from '../thrown-values.ts';

const counters: fc.Arbitrary<Counters> = fc.record(
  { failures: fc.integer({ min: 1, max: 9 }), stalls: fc.nat(3) },
  { requiredKeys: ['failures'] },
);

/** Policies whose decisions no clock can change. */
const timeless = policyInputs.map(
  (input): PolicyInput => ({
    ...input,
    backoff: { type: 'constant', base: 1 },
    minDelay: 0,
    maxDelay: 10,
    granularity: 0,
    totalTimeout: 'Infinity',
  }),
);

describe('explain', () => {
  it('agrees with decide if no clock, server or budget is involved', () => {
    fc.assert(
      fc.property(timeless, thrownValues, counters, (input, error, used) => {
        const policy = definePolicy(input);

        const { retries, reason } = explain(policy, error, used);
        const decision = decide(
          policy,
          used,
          { error, serverDelay: { type: 'absent' } },
          { now: 0, random: () => 0 },
        );

        expect(retries).toBe(decision.type === 'retry');
        expect(reason).toBe(decision.type === 'fail' ? decision.reason : undefined);
      }),
    );
  });

  it('has a reason exactly if the error is not retried, and always a rule and a sentence', () => {
    fc.assert(
      fc.property(policyInputs, thrownValues, counters, (input, error, used) => {
        const { retries, reason, rule, text } = explain(definePolicy(input), error, used);

        expect(reason === undefined).toBe(retries);
        expect(rule).toMatch(
          /^(retryOn|retryTimeouts|(retryOn|stopOn)\[\d\]|retryIf|retryable|maxAttempts|NonRetryableError|thrown)$/,
        );
        expect(text).toMatch(/^[A-Zrs].*\.$/s);
      }),
    );
  });

  it('names a matcher that the policy has', () => {
    fc.assert(
      fc.property(policyInputs, thrownValues, counters, (input, error, used) => {
        const policy = definePolicy(input);
        const [, key, index] = /^(retryOn|stopOn)\[(\d)\]$/.exec(explain(policy, error, used).rule) ?? [];
        if (key === undefined) return;

        const matchers = key === 'stopOn' ? settingsOf(policy).stopOn : settingsOf(policy).retryOn;

        expect(matchers[Number(index)]).toBeDefined();
      }),
    );
  });
});
