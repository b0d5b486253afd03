import { definePolicy, explain, extendPolicy, InvalidOptionsError, parsePolicy, preview } from '@retry/core';
import { defineBudget } from '@retry/core/budget';
import { createVirtualClock } from '@retry/core/testing';
import { describe, expect, it } from 'vitest';

const policy = definePolicy();

/** Input that only JavaScript callers can pass. */
const untyped = (value: unknown): never => value as never;

describe('wrong options of core', () => {
  it.each<[string, string, () => unknown]>([
    ['a misspelt option of preview', 'atemptMs', () => preview(policy, untyped({ atemptMs: 5 }))],
    ['a negative attempt of preview', 'attemptMs', () => preview(policy, { attemptMs: -1 })],
    ['an endless attempt of preview', 'attemptMs', () => preview(policy, { attemptMs: Infinity })],
    ['an attempt of preview as text', 'attemptMs', () => preview(policy, untyped({ attemptMs: '1s' }))],
    ['half a limit of preview', 'limit', () => preview(policy, { limit: 0.5 })],
    ['an endless limit of preview', 'limit', () => preview(policy, { limit: Infinity })],
    ['no limit of preview', 'limit', () => preview(policy, untyped({ limit: null }))],
    ['no options of preview', '', () => preview(policy, untyped(null))],
    ['a signal in place of options', '', () => preview(policy, untyped(new AbortController().signal))],
    ['an error in place of options', '', () => preview(policy, untyped(new Error('no')))],
    ['a date in place of options', '', () => preview(policy, untyped(new Date(0)))],
    [
      'misspelt options that are inherited',
      'atemptMs',
      () => preview(policy, untyped(Object.create({ atemptMs: 5 }))),
    ],
    ['a number of failures of explain', 'failures', () => explain(policy, 'x', untyped(2))],
    ['misspelt failures of explain', 'failures', () => explain(policy, 'x', untyped({ failurs: 2 }))],
    ['no stalls of explain', 'stalls', () => explain(policy, 'x', untyped({ failures: 1, stalls: null }))],
    ['no registry', 'registry', () => definePolicy({}, untyped(null))],
    ['a misspelt registry', 'registry.strategy', () => definePolicy({}, untyped({ strategy: {} }))],
    ['no gates', 'registry.gates', () => definePolicy({}, untyped({ gates: null }))],
    [
      'strategies as a function',
      'registry.strategies',
      () => definePolicy({}, untyped({ strategies: () => 1 })),
    ],
    ['no policy at all in a file', '', () => parsePolicy(undefined)],
    ['a registry of a file that is none', 'registry', () => parsePolicy('{}', untyped([]))],
    ['no patch', '', () => extendPolicy(policy, untyped(null))],
    ['a misspelt key of a patch', 'maxAtempts', () => extendPolicy(policy, untyped({ maxAtempts: 3 }))],
    ['null in a patch', 'maxDelay', () => extendPolicy(policy, untyped({ maxDelay: null }))],
    [
      'an asynchronous gate of a patch',
      'retryIf',
      () => extendPolicy(policy, { retryIf: untyped(async () => true) }),
    ],
    ['no budget', '', () => defineBudget(untyped(null))],
    [
      'a misspelt key of a budget',
      'capasity',
      () => defineBudget(untyped({ type: 'token-bucket', capasity: 5 })),
    ],
    ['null in a budget', 'ratio', () => defineBudget(untyped({ type: 'ratio', ratio: null }))],
    ['no costs', 'costs', () => defineBudget(untyped({ type: 'token-bucket', costs: null }))],
  ])('are refused with the path of the problem: %s', (_name, path, call) => {
    const error = thrownBy(call);

    expect(error).toBeInstanceOf(InvalidOptionsError);
    expect((error as InvalidOptionsError).problems.map((problem) => problem.path)).toContain(path);
  });

  it('name their subject', () => {
    expect(thrownBy(() => preview(policy, { limit: -1 }))).toMatchObject({
      message: expect.stringMatching(/^invalid preview\n- limit must be an integer ≥ 0, got -1\./),
    });
    expect(thrownBy(() => defineBudget({ type: 'ratio', ratio: -1 }))).toMatchObject({
      message: expect.stringMatching(/^invalid budget\n- ratio /),
    });
  });

  it.each([undefined, 'soon', '1 hour', -1, Number.NaN, null, 'Infinity'])(
    'are refused by advance of a virtual clock: %s',
    async (duration) => {
      const clock = createVirtualClock({ settle: async () => undefined });

      await expect(clock.advance(untyped(duration))).rejects.toThrow(InvalidOptionsError);
      expect(clock.now()).toBe(0);
    },
  );

  it('may be undefined', () => {
    expect(preview(policy, { attemptMs: undefined, limit: undefined })).toEqual(preview(policy));
    expect(definePolicy({}, { strategies: undefined, gates: undefined })).toEqual(policy);
  });
});

function thrownBy(call: () => unknown): unknown {
  try {
    return call();
  } catch (thrown) {
    return thrown;
  }
}
