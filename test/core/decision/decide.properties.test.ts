import { type Decision, decide, definePolicy, MAX_INSTANT_AT, type Policy } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draws, hostileDraws, policyInputs, sourceOf } from '../../support/arbitraries.ts';
import { hostileMakers, thrownValues } from '../thrown-values.ts';

const REASONS = [
  'unexpected',
  'exhausted',
  'not-retryable',
  'stopped',
  'total-timeout',
  'retry-after',
  'budget',
];

const policies = policyInputs.map((input) => definePolicy(input));
const makers = fc.oneof(
  { weight: 4, arbitrary: thrownValues.map((value) => () => value) },
  { weight: 1, arbitrary: hostileMakers },
);
const sequences = fc.array(fc.oneof(draws, hostileDraws), { minLength: 1, maxLength: 4 });

/** The input of a decision. */
const scenarios = fc.record({
  policy: policies,
  counters: fc.record(
    {
      failures: fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 1, max: 4 }) },
        { weight: 1, arbitrary: fc.constantFrom(0, 1_024, 1e15, Number.MAX_SAFE_INTEGER) },
      ),
      stalls: fc.nat({ max: 3 }),
    },
    { requiredKeys: ['failures'] },
  ),
  makeError: makers,
  given: sequences,
  world: fc.record(
    {
      now: fc.constantFrom<number>(0, 1_800_000_000_000),
      startedAt: fc.constantFrom(0, 1_799_999_999_000),
      deadlineAt: fc.constantFrom(Infinity, 1_800_000_060_000),
      budget: fc.record({ allowsRetry: fc.boolean() }),
    },
    { requiredKeys: ['now'] },
  ),
});

type Scenario = typeof scenarios extends fc.Arbitrary<infer T> ? T : never;

/** The same without the rules that refuse most failures, so that most decisions are retries. */
const hopefulScenarios = scenarios.chain((scenario) =>
  policyInputs.map(({ retryOn, stopOn, retryIf, retryable, ...delays }) => ({
    ...scenario,
    policy: definePolicy({ ...delays, maxAttempts: Infinity }),
    world: { ...scenario.world, budget: { allowsRetry: true } },
  })),
);

function decisionIn({ policy, counters, makeError, given, world }: Scenario): Decision {
  return decide(policy, counters, { error: makeError() }, { ...world, random: sourceOf(given) });
}

describe('decide', () => {
  it('never throws, whatever was thrown and whatever the policy', () => {
    fc.assert(
      fc.property(scenarios, (scenario) => {
        const decision = decisionIn(scenario);

        expect(decision.type === 'retry' || REASONS.includes(decision.reason)).toBe(true);
      }),
    );
  });

  it('returns for every retry a finite delay ≥ 0 and runAt = now + delayMs', () => {
    fc.assert(
      fc.property(hopefulScenarios, (scenario) => {
        const decision = decisionIn(scenario);
        fc.pre(decision.type === 'retry');

        expect(decision.delayMs).toBeGreaterThanOrEqual(0);
        expect(decision.delayMs).toBeLessThan(Infinity);
        expect(decision.runAt).toBe(scenario.world.now + decision.delayMs);
      }),
    );
  });

  it('returns no retry later than the last instant, however long its delay', () => {
    const instants = fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 0.3, MAX_INSTANT_AT, MAX_INSTANT_AT - 0.7));
    fc.assert(
      fc.property(hopefulScenarios, instants, (scenario, now) => {
        const decision = decisionIn({ ...scenario, world: { now } });
        fc.pre(decision.type === 'retry');

        expect(decision.runAt).toBeLessThanOrEqual(MAX_INSTANT_AT);
        expect(decision.delayMs).toBeLessThanOrEqual(MAX_INSTANT_AT);
        expect(decision.delayMs).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it('returns no retry at a deadline or later', () => {
    fc.assert(
      fc.property(hopefulScenarios, (scenario) => {
        const { world, policy } = scenario;
        const decision = decisionIn(scenario);
        fc.pre(decision.type === 'retry');

        expect(decision.runAt).toBeLessThan(world.deadlineAt ?? Infinity);
        expect(decision.runAt).toBeLessThan(
          (world.startedAt ?? world.now) + settingsOf(policy).totalTimeoutMs,
        );
      }),
    );
  });

  it('grants at most maxAttempts - 1 retries', () => {
    fc.assert(
      fc.property(policies, makers, sequences, (policy, makeError, given) => {
        fc.pre(settingsOf(policy).maxAttempts < Infinity);

        const granted = retriesGranted(policy, makeError(), sourceOf(given));

        expect(granted).toBeLessThanOrEqual(settingsOf(policy).maxAttempts - 1);
      }),
    );
  });

  it('grants exactly maxAttempts - 1 retries when no other rule refuses', () => {
    const limits = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(limits, sequences, (maxAttempts, given) => {
        const granted = retriesGranted(definePolicy({ maxAttempts }), 'boom', sourceOf(given));

        expect(granted).toBe(maxAttempts - 1);
      }),
    );
  });

  it('decides the same for the same draws', () => {
    fc.assert(
      fc.property(scenarios, thrownValues, (scenario, value) => {
        const again = () => decisionIn({ ...scenario, makeError: () => value });

        expect(again()).toEqual(again());
      }),
    );
  });
});

/** Returns how often a caller that follows the decisions retries; it gives up after 100. */
function retriesGranted(policy: Policy, error: unknown, random: () => number): number {
  let previousDelayMs: number | undefined;
  for (let failures = 1; failures <= 100; failures += 1) {
    const decision = decide(policy, { failures, previousDelayMs }, { error }, { now: 0, random });
    if (decision.type === 'fail') return failures - 1;
    previousDelayMs = decision.delayMs;
  }
  return 100;
}
