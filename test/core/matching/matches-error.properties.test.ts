import type { Matcher } from '@retry/core';
import { definePolicy, matchesError } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainMatchers } from '../../support/arbitraries.ts';
import { thrownValues } from '../thrown-values.ts';

const matchers = plainMatchers.map((matcher): Matcher => {
  const [read] = settingsOf(definePolicy({ stopOn: [matcher] })).stopOn;
  return read ?? {};
});

const depths = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 200 }));

/** Wraps the error in a number of errors that no plain matcher matches. */
function wrap(error: unknown, depth: number, how: 'cause' | 'errors'): unknown {
  let wrapped = error;
  for (let count = 0; count < depth; count += 1) {
    wrapped = how === 'cause' ? { cause: wrapped } : { errors: [null, wrapped] };
  }
  return wrapped;
}

describe('matchesError', () => {
  it('matches a wrapped error by cause exactly if it matches the error or its causes', () => {
    const kinds = fc.constantFrom('cause', 'errors');
    fc.assert(
      fc.property(matchers, thrownValues, depths, kinds, (cause, error, depth, how) => {
        const isWithin = matchesError(cause, error) || matchesError({ cause }, error);

        expect(matchesError({ cause }, wrap(error, depth, how as 'cause' | 'errors'))).toBe(isWithin);
      }),
    );
  });

  it('does not match causes without the key cause', () => {
    fc.assert(
      fc.property(matchers, thrownValues, depths, (matcher, error, depth) => {
        expect(matchesError(matcher, wrap(error, depth, 'cause'))).toBe(false);
      }),
    );
  });

  it('returns the same result every time', () => {
    fc.assert(
      fc.property(matchers, thrownValues, (matcher, error) => {
        const answers = [1, 2, 3].map(() => matchesError(matcher, error));

        expect(new Set(answers).size).toBe(1);
      }),
    );
  });

  it('matches by a list exactly if one of its entries matches', () => {
    const codes = fc.constantFrom('ECONNRESET', '08*', 'ETIMEDOUT', 11);
    fc.assert(
      fc.property(fc.array(codes, { minLength: 1 }), thrownValues, (code, error) => {
        const isAny = code.some((one) => matchesError({ code: one }, error));

        expect(matchesError({ code }, error)).toBe(isAny);
      }),
    );
  });
});

describe('patterns inside of patterns', () => {
  const NAMES = ['Red', 'Green', 'Blue'] as const;
  const names = fc.constantFrom(...NAMES);
  const { error: errors } = fc.letrec<{ error: AggregateError }>((tie) => ({
    error: fc.oneof(
      { maxDepth: 3 },
      fc.record({ name: names, causes: fc.constant<readonly AggregateError[]>([]) }).map(namedError),
      fc.record({ name: names, causes: fc.array(tie('error'), { maxLength: 2 }) }).map(namedError),
    ),
  }));
  const { pattern: patterns } = fc.letrec<{ pattern: NamedPattern }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4 },
      fc.record({ name: names }),
      fc.record({ cause: tie('pattern') }),
      fc.record({ anywhere: fc.array(tie('pattern'), { minLength: 1, maxLength: 2 }) }),
      fc.record({ name: names, unless: fc.array(tie('pattern'), { minLength: 1, maxLength: 2 }) }),
    ),
  }));

  function namedError({ name, causes }: { name: string; causes: readonly AggregateError[] }): AggregateError {
    return Object.assign(new AggregateError(causes), { name });
  }

  interface NamedPattern {
    readonly name?: string;
    readonly cause?: NamedPattern;
    readonly anywhere?: readonly NamedPattern[];
    readonly unless?: readonly NamedPattern[];
  }

  const causesIn = (error: AggregateError): readonly AggregateError[] =>
    error.errors.flatMap((inner) => [inner, ...causesIn(inner)]);

  function slowly({ name, cause, anywhere, unless }: NamedPattern, error: AggregateError): boolean {
    const isAnywhere = (inner: NamedPattern): boolean =>
      [error, ...causesIn(error)].some((each) => slowly(inner, each));
    return (
      (name === undefined || error.name === name) &&
      (cause === undefined || causesIn(error).some((each) => slowly(cause, each))) &&
      (anywhere === undefined || anywhere.some(isAnywhere)) &&
      (unless === undefined || !unless.some(isAnywhere))
    );
  }

  it('agree with the slow obvious version', () => {
    fc.assert(
      fc.property(patterns, errors, (pattern, error) => {
        expect(matchesError(pattern, error)).toBe(slowly(pattern, error));
      }),
    );
  });
});
