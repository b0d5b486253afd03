import type { Policy, PolicyInput } from '@retry/core';
import { definePolicy, extendPolicy, InvalidOptionsError } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, expectTypeOf, it } from 'vitest';

const policy = definePolicy({ maxAttempts: 5 });
const spread = { ...policy, maxAttempts: 7 };

describe('a defined policy', () => {
  it('offers none of its settings by its type', () => {
    expectTypeOf<Policy>().not.toHaveProperty('attemptTimeoutMs');
    expectTypeOf<Policy>().not.toHaveProperty('maxAttempts');
    expectTypeOf<Policy>().not.toExtend<PolicyInput>();
    expect(settingsOf(policy).maxAttempts).toBe(5);
  });

  it('does not compile when it was spread', () => {
    expectTypeOf(spread).not.toExtend<Policy>();
    expectTypeOf(spread).not.toExtend<PolicyInput>();
    // @ts-expect-error a spread policy is neither a policy nor an input
    expect(() => definePolicy(spread)).toThrow(InvalidOptionsError);
  });

  it('is refused when it was spread, with the cure to extend it', () => {
    const call = (): Policy => definePolicy(spread as never);

    expect(call).toThrow('attemptTimeoutMs is not a known key');
    expect(call).toThrow('extendPolicy changes a policy.');
    expect(settingsOf(extendPolicy(policy, { maxAttempts: 7 })).maxAttempts).toBe(7);
  });
});
