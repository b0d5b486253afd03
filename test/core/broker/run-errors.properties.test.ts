import type { AttemptError } from '@retry/core/broker';
import { addError, packErrors } from '@retry/core/broker/kit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PACKED_REST, unpackErrors } from '../../../packages/core/src/broker/kit/run/run-errors.ts';

const number = fc.oneof(fc.nat(), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const code = fc.oneof(fc.string(), fc.integer());

const error: fc.Arbitrary<AttemptError> = fc.record(
  {
    epoch: fc.nat(),
    at: number,
    name: fc.string(),
    message: fc.string(),
    startedAt: number,
    durationMs: number,
    worker: fc.string(),
    reason: fc.constantFrom('retried', 'exhausted', 'asked', 'stalled', 'ended'),
    stack: fc.string(),
    context: fc.string(),
    code,
    causeCode: code,
    status: fc.integer(),
    retryAfterMs: fc.oneof(fc.nat(), fc.constant('refused' as const)),
    stalledWith: fc.nat(),
    isRedacted: fc.boolean(),
    unrecorded: fc.uniqueArray(fc.constantFrom('cause', 'code', 'errno', 'sqlState', 'label', 'retryable')),
  } satisfies { readonly [Key in keyof Required<AttemptError>]: fc.Arbitrary<unknown> },
  { requiredKeys: ['epoch', 'at', 'name', 'message'] },
);

describe('addError', () => {
  it('keeps the latest 20, in their order, and the stack of the last one only', () => {
    fc.assert(
      fc.property(fc.array(error, { maxLength: 40 }), error, (known, latest) => {
        const all = addError(known, latest);

        expect(all.at(-1)).toEqual(latest);
        expect(all).toHaveLength(Math.min(20, known.length + 1));
        expect(all.slice(0, -1).every(({ stack }) => stack === undefined)).toBe(true);
        expect(all.map(({ message }) => message)).toEqual(
          [...known, latest].slice(-20).map(({ message }) => message),
        );
      }),
    );
  });
});

describe('packErrors', () => {
  it('loses nothing, through JSON', () => {
    fc.assert(
      fc.property(fc.array(error), (errors) => {
        const stored = JSON.parse(JSON.stringify(packErrors(errors)));

        expect(unpackErrors(stored)).toStrictEqual(JSON.parse(JSON.stringify(errors)));
      }),
    );
  });

  it('has a stack among the rest, where statements find it', () => {
    fc.assert(
      fc.property(error, fc.string(), (one, stack) => {
        const [packed] = packErrors([{ ...one, stack }]);

        expect(packed?.[PACKED_REST]).toHaveProperty('stack', stack);
      }),
    );
  });

  it('keeps a start that is not exact as a time before the end', () => {
    const inexact = { epoch: 1, at: 1e300, startedAt: 0.1, name: 'Error', message: '' };

    expect(unpackErrors(packErrors([inexact]))).toEqual([inexact]);
  });
});

describe('unpackErrors', () => {
  it('returns what is not packed unchanged: scripts write errors by the names of their fields', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(error, fc.string(), fc.integer(), fc.constant(null))), (stored) => {
        expect(unpackErrors(stored)).toEqual(stored);
      }),
    );
  });
});
