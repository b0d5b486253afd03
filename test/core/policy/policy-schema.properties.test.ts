import { createRequire } from 'node:module';
import type { Problem } from '@retry/core';
import { InvalidOptionsError, parsePolicy } from '@retry/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepCause, policyDocuments } from './policy-documents.ts';

const schema = createRequire(import.meta.url)('@retry/core/policy.schema.json');
const accepts = new Ajv2020({ strict: true, strictTypes: true, strictRequired: true }).compile(schema);

const registry = { strategies: { known: () => 1 }, gates: { known: () => true } };

/** What parsePolicy refuses and the schema does not, because it is a relation or a name: each with the problem that parsePolicy reports for it. */
const BEYOND_THE_SCHEMA: Readonly<Record<string, (problem: Problem) => boolean>> = {
  'minDelay over maxDelay': ({ path, message }) =>
    path === 'minDelay' && message.startsWith('must be at most maxDelay'),
  'initialDelay over deadline': ({ path, message }) =>
    path === 'initialDelay' && message.startsWith('must be less than totalTimeout'),
  'no multiple of granularity in range': ({ path, message }) =>
    path === 'granularity' && message.startsWith('must have a multiple'),
  'a granularity in minutes, hours or days that makes no whole milliseconds': ({ path, value }) =>
    path === 'granularity' && /^\d+\.\d+[mhd]$/.test(String(value)),
  'a name that is not in the registry': ({ path, value }) =>
    /^(retryIf|(delays\[\d+\]\.)?backoff\.strategy)$/.test(path) && typeof value === 'string',
  'a jitter that grows with a decorrelated backoff': ({ path, message }) =>
    path === 'jitter' && message === 'must not grow with a decorrelated backoff',
  'causes nested too deep': ({ message }) => message === 'is nested too deep',
};

function problemsOf(document: unknown): readonly Problem[] {
  try {
    parsePolicy(JSON.stringify(document), registry);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    return error.problems;
  }
}

describe('policy.schema.json', () => {
  it('refuses nothing that parsePolicy accepts', () => {
    fc.assert(
      fc.property(policyDocuments, (document) => {
        fc.pre(!accepts(document));

        expect(problemsOf(document)).not.toEqual([]);
      }),
    );
  });

  it('accepts nothing that parsePolicy refuses, except what a schema cannot express', () => {
    fc.assert(
      fc.property(policyDocuments, (document) => {
        fc.pre(accepts(document));

        const others = problemsOf(document).filter(
          (problem) => !Object.values(BEYOND_THE_SCHEMA).some((isKind) => isKind(problem)),
        );

        expect(others).toEqual([]);
      }),
    );
  });

  it('is tested with both valid and damaged documents', () => {
    const documents = fc.sample(policyDocuments, { numRuns: 1_000, seed: 1 });

    const accepted = documents.filter((document) => problemsOf(document).length === 0).length;
    const refused = documents.filter((document) => !accepts(document)).length;

    expect(accepted).toBeGreaterThan(150);
    expect(refused).toBeGreaterThan(300);
  });
});

describe.each(Object.entries(BEYOND_THE_SCHEMA))('beyond the schema: %s', (kind, isKind) => {
  const documents: Readonly<Record<string, unknown>> = {
    'minDelay over maxDelay': { minDelay: '2s', maxDelay: '1s' },
    'initialDelay over deadline': { initialDelay: '2s', totalTimeout: '1s' },
    'no multiple of granularity in range': { minDelay: 1_100, maxDelay: 1_900, granularity: '1s' },
    'a granularity in minutes, hours or days that makes no whole milliseconds': { granularity: '0.00001m' },
    'a name that is not in the registry': {
      retryIf: 'unknown',
      backoff: { type: 'custom', strategy: 'unknown' },
    },
    'a jitter that grows with a decorrelated backoff': {
      backoff: { type: 'decorrelated', base: 0 },
      jitter: { plus: 0, increment: 1 },
    },
    'causes nested too deep': { stopOn: [deepCause(20)] },
  };

  it('is accepted by the schema and refused by parsePolicy for that alone', () => {
    const document = documents[kind];

    const problems = problemsOf(document);

    expect(accepts(document)).toBe(true);
    expect(problems).not.toEqual([]);
    expect(problems.every(isKind)).toBe(true);
  });
});
