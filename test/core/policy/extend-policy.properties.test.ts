import type { Duration, JitterInput, PolicyInput } from '@retry/core';
import { definePolicy, extendPolicy } from '@retry/core';
import type { CapAt } from '@retry/core/fields';
import { settingsOf } from '@retry/core/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainMatchers, policyInputs } from '../../support/arbitraries.ts';

type ServerDelay = PolicyInput['retryAfter'] & object;

/** Patches that fit any base: they touch no pair of limits that must agree. */
const patches: fc.Arbitrary<PolicyInput> = fc.record(
  {
    maxAttempts: fc.integer({ min: 1, max: 9 }),
    jitter: fc.constantFrom<JitterInput>('none', 'full', { proportional: 0.1 }),
    capAt: fc.constantFrom<CapAt>('before-jitter', 'after-jitter', 'ignores-jitter'),
    totalTimeout: fc.constantFrom<Duration>(1, '2m', 'Infinity'),
    retryAfter: fc.constantFrom<ServerDelay>({}, { max: '1s' }, { mode: 'replace' }),
    retryable: fc.boolean(),
    retryIf: fc.constantFrom(
      () => true,
      () => false,
    ),
  },
  { requiredKeys: [] },
);

const lists = fc.array(plainMatchers, { minLength: 1, maxLength: 4 });

describe('extendPolicy', () => {
  it('changes nothing with an empty patch', () => {
    fc.assert(
      fc.property(policyInputs, (input) => {
        const policy = definePolicy(input);

        expect(extendPolicy(policy, {})).toEqual(policy);
        expect(extendPolicy(input, {})).toEqual(policy);
      }),
    );
  });

  it('returns the patch as a whole policy if the base has only defaults', () => {
    fc.assert(
      fc.property(policyInputs, (input) => {
        fc.pre(!Array.isArray(input.retryOn) && input.stopOn === undefined);

        expect(extendPolicy({}, input)).toEqual(definePolicy(input));
      }),
    );
  });

  it('returns the same policy for patches applied one by one or merged', () => {
    fc.assert(
      fc.property(policyInputs, patches, patches, (base, one, other) => {
        const oneByOne = extendPolicy(extendPolicy(base, one), other);

        expect(oneByOne).toEqual(extendPolicy(base, { ...one, ...other }));
        expect(oneByOne).toMatchObject(pick(definePolicy(other), other));
      }),
    );
  });

  it('is idempotent: the same patch again changes nothing', () => {
    fc.assert(
      fc.property(policyInputs, patches, lists, (base, patch, retryOn) => {
        const once = extendPolicy(base, { ...patch, retryOn, stopOn: retryOn });

        expect(extendPolicy(once, { ...patch, retryOn, stopOn: retryOn })).toEqual(once);
      }),
    );
  });

  it('unites lists associatively', () => {
    fc.assert(
      fc.property(lists, lists, lists, (one, two, three) => {
        const left = extendPolicy(extendPolicy({ stopOn: one }, { stopOn: two }), { stopOn: three });
        const right = extendPolicy({ stopOn: one }, extendedInput(two, three));

        expect(settingsOf(left).stopOn).toEqual(settingsOf(right).stopOn);
      }),
    );
  });

  it('never loses a matcher and never writes one twice', () => {
    fc.assert(
      fc.property(lists, lists, (one, two) => {
        const { retryOn } = settingsOf(extendPolicy({ retryOn: one }, { retryOn: two }));
        const all = settingsOf(definePolicy({ retryOn: [...one, ...two] })).retryOn;

        expect(new Set(Array.from(retryOn, show))).toEqual(new Set(Array.from(all, show)));
        expect(new Set(Array.from(retryOn, show)).size).toBe(retryOn.length);
      }),
    );
  });

  it('leaves the base as it was', () => {
    fc.assert(
      fc.property(policyInputs, patches, lists, (input, patch, retryOn) => {
        const base = definePolicy(input);

        extendPolicy(base, { ...patch, retryOn });

        expect(base).toEqual(definePolicy(input));
      }),
    );
  });
});

function extendedInput(one: PolicyInput['stopOn'], other: PolicyInput['stopOn']): PolicyInput {
  return { stopOn: settingsOf(extendPolicy({ stopOn: one ?? [] }, { stopOn: other ?? [] })).stopOn };
}

/** One text for each matcher: all its fields, and for a class its name. */
function show(matcher: unknown): string {
  return JSON.stringify(matcher, (_key, value) =>
    value instanceof RegExp || typeof value === 'function' ? String(value) : value,
  );
}

const KEPT_AS_WRITTEN = ['maxAttempts', 'jitter', 'capAt', 'retryAfter', 'retryable', 'retryIf'] as const;

function pick(policy: ReturnType<typeof definePolicy>, written: PolicyInput): object {
  return Object.fromEntries(
    KEPT_AS_WRITTEN.filter((key) => key in written).map((key) => [key, settingsOf(policy)[key]]),
  );
}
