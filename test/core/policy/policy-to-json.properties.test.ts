import { definePolicy, InvalidOptionsError, isSerializable, parsePolicy, policyToJSON } from '@retry/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyInputs } from '../../support/arbitraries.ts';
import { policyDocuments } from './policy-documents.ts';

const registry = { strategies: { known: () => 1 }, gates: { known: () => true } };

/** Policies of every kind that can be written in a file. */
const filed = policyDocuments.map((document) => {
  try {
    return parsePolicy(JSON.stringify(document), registry);
  } catch {
    return parsePolicy({ backoff: { type: 'custom', strategy: 'known' }, retryIf: 'known' }, registry);
  }
});

describe('policyToJSON', () => {
  it('is undone by parsePolicy', () => {
    fc.assert(
      fc.property(filed, (policy) => {
        const again = parsePolicy(policyToJSON(policy), registry);

        expect(again).toEqual(policy);
        expect(policyToJSON(again)).toEqual(policyToJSON(policy));
      }),
    );
  });

  it('is undone by parsePolicy through text', () => {
    fc.assert(
      fc.property(filed, (policy) => {
        expect(parsePolicy(JSON.stringify(policyToJSON(policy)), registry)).toEqual(policy);
      }),
    );
  });

  it('writes only values that JSON text preserves', () => {
    fc.assert(
      fc.property(filed, (policy) => {
        const json = policyToJSON(policy);

        expect(JSON.parse(JSON.stringify(json))).toEqual(json);
      }),
    );
  });

  it('throws an InvalidOptionsError exactly for policies that are not serializable', () => {
    fc.assert(
      fc.property(policyInputs, (input) => {
        const policy = definePolicy(input);

        expect(errorOf(() => policyToJSON(policy)) === undefined).toBe(isSerializable(policy));
      }),
    );
  });

  it('is undone by parsePolicy for policies written in code', () => {
    fc.assert(
      fc.property(policyInputs, (input) => {
        const policy = definePolicy(input);
        if (!isSerializable(policy)) return;

        expect(parsePolicy(JSON.stringify(policyToJSON(policy)))).toEqual(policy);
      }),
    );
  });
});

function errorOf(run: () => unknown): InvalidOptionsError | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error;
    throw error;
  }
}
