import { definePolicy, InvalidOptionsError, isPolicy } from '@retry/core';
import { definePlainPolicy } from '@retry/core/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyInputs } from '../../support/arbitraries.ts';
import { invalidPolicies } from '../invalid-policies.ts';

const junk = fc.anything({
  maxDepth: 1,
  maxKeys: 3,
  withBigInt: true,
  withBoxedValues: true,
  withDate: true,
  withMap: true,
  withNullPrototype: true,
  withObjectString: true,
  withSet: true,
  withSparseArray: true,
  withTypedArray: true,
});

const KNOWN_WORDS = ['exponential', 'custom', 'list', 'linear', 'full', 'nothing', 'floor', '1s', 'Infinity'];
const value = fc.oneof(junk, fc.constantFrom<unknown>(0, 1, -1, 0.5, ...KNOWN_WORDS), fc.func(junk));
const someOf = (...keys: readonly string[]) =>
  fc.record(Object.fromEntries(keys.map((key) => [key, value])), { requiredKeys: [] });

const matcher = someOf('name', 'code', 'status', 'message', 'cause');

/** Objects with the keys of a policy and any values. */
const almostPolicies = fc
  .tuple(
    someOf('maxAttempts', 'jitter', 'minDelay', 'maxDelay', 'capAt', 'granularity', 'retryIf'),
    someOf('attemptTimeout', 'totalTimeout', 'retryable', 'retries', '__proto__', 'constructor'),
    fc.record(
      {
        backoff: fc.oneof(value, someOf('type', 'base', 'factor', 'increment', 'delays', 'strategy')),
        retryAfter: fc.oneof(value, someOf('max', 'mode')),
        retryOn: fc.oneof(value, fc.array(fc.oneof(value, matcher), { maxLength: 2 })),
        stopOn: fc.oneof(value, fc.array(fc.oneof(value, matcher), { maxLength: 2 })),
      },
      { requiredKeys: [] },
    ),
  )
  .map((parts) => Object.assign({}, ...parts));

/** Valid policies with one key replaced, so that the reading gets past the first key. */
const spoiltPolicies = fc
  .tuple(
    policyInputs,
    fc.constantFrom('backoff', 'jitter', 'retryOn', 'stopOn', 'retryIf', 'retryAfter'),
    value,
  )
  .map(([input, key, wrong]) => ({ ...input, [key]: wrong }));

describe('definePolicy', () => {
  it('accepts every valid policy and is idempotent', () => {
    fc.assert(
      fc.property(policyInputs, (input) => {
        const policy = definePolicy(input);

        expect(isPolicy(policy)).toBe(true);
        expect(Object.isFrozen(policy)).toBe(true);
        expect(definePolicy(policy)).toBe(policy);
      }),
    );
  });

  it('reads the same input the same way every time', () => {
    fc.assert(
      fc.property(
        policyInputs.filter(({ retryIf }) => retryIf === undefined),
        (input) => {
          expect(definePolicy(input)).toEqual(definePolicy(input));
        },
      ),
    );
  });

  it('refuses every invalid policy with its path and a cure', () => {
    fc.assert(
      fc.property(invalidPolicies, ({ input, path }) => {
        const error = refusalOf(input);

        expect(error?.problems.map((problem) => problem.path)).toContain(path);
        expect(error?.message).toContain(path);
        expect(error?.problems.every(({ message, cure }) => message !== '' && /[.…]$/.test(cure))).toBe(true);
      }),
    );
  });

  it.each([
    ['anything at all', junk],
    ['anything that looks like a policy', almostPolicies],
    ['a valid policy that was spoilt', spoiltPolicies],
  ])('finds the same with and without a registry that is empty, for %s', (_name, inputs) => {
    fc.assert(
      fc.property(inputs, (input) => {
        const [plain, full] = [definePlainPolicy, definePolicy].map((define) => {
          try {
            define(input as never);
            return 'valid';
          } catch (thrown) {
            return String(thrown);
          }
        });

        expect(plain).toBe(full);
      }),
    );
  });

  it.each([
    ['anything at all', junk],
    ['anything that looks like a policy', almostPolicies],
    ['a valid policy that was spoilt', spoiltPolicies],
  ])('either returns a policy or throws a InvalidOptionsError with problems, for %s', (_name, inputs) => {
    fc.assert(
      fc.property(inputs, (input) => {
        const error = refusalOf(input);

        expect(error === undefined || error.problems.length > 0).toBe(true);
      }),
    );
  });
});

/** Returns the InvalidOptionsError for this input; any other error passes through. */
function refusalOf(input: unknown): InvalidOptionsError | undefined {
  try {
    expect(isPolicy(definePolicy(input as never))).toBe(true);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof InvalidOptionsError) return thrown;
    throw thrown;
  }
}
