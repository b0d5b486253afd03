import type { JitterInput, Matcher, PolicyInput } from '@retry/core';
import { definePolicy, InvalidOptionsError, matchesError } from '@retry/core';
import { describe, expect, expectTypeOf, it } from 'vitest';

class PrivateError extends Error {
  readonly made: boolean;

  private constructor(made: boolean) {
    super('private');
    this.made = made;
  }

  static make(): PrivateError {
    return new PrivateError(true);
  }
}

class ProtectedError extends Error {
  protected constructor() {
    super('protected');
  }
}

abstract class AbstractError extends ProtectedError {}

describe('the type of a matcher', () => {
  it('is that of a class, whatever its constructor is', () => {
    const classes = [PrivateError, ProtectedError, AbstractError, TypeError, AggregateError];
    const policy = { retryOn: classes, stopOn: [PrivateError, { cause: ProtectedError }] } as const;

    expectTypeOf(policy).toExtend<PolicyInput>();
    expectTypeOf<typeof PrivateError>().toExtend<Matcher>();
    expectTypeOf<typeof ProtectedError>().toExtend<Matcher>();
    expectTypeOf<typeof AbstractError>().toExtend<Matcher>();
    expect(() => definePolicy(policy)).not.toThrow();
    expect(matchesError(PrivateError, PrivateError.make())).toBe(true);
    expect(matchesError(ProtectedError, PrivateError.make())).toBe(false);
  });

  it('is that of a predicate, if it answers immediately', () => {
    expectTypeOf<(error: unknown) => boolean>().toExtend<Matcher>();
    expectTypeOf<() => true>().toExtend<Matcher>();
    expectTypeOf<(error: unknown) => error is Error>().toExtend<Matcher>();
    expectTypeOf<(error: unknown) => Promise<boolean>>().not.toExtend<Matcher>();
    expectTypeOf<() => Generator<boolean>>().not.toExtend<Matcher>();
    expectTypeOf<() => string>().not.toExtend<Matcher>();
    expectTypeOf<(error: Error) => boolean>().not.toExtend<Matcher>();
    expectTypeOf<() => void>().not.toExtend<Matcher>();
  });

  it('is no text, expression, date or error', () => {
    expectTypeOf<string>().not.toExtend<Matcher>();
    expectTypeOf<symbol>().not.toExtend<Matcher>();
    // @ts-expect-error a misspelt field
    const misspelt: Matcher = { codes: ['ECONNRESET'] };
    // @ts-expect-error it belongs into { message }
    const pattern: Matcher = /reset/;
    expect(() => matchesError(misspelt, 'x')).toThrow(InvalidOptionsError);
    expect(() => matchesError(pattern, 'x')).toThrow(InvalidOptionsError);
  });
});

describe('the type of a jitter', () => {
  it('is a name, or an object with one key', () => {
    expectTypeOf<'full'>().toExtend<JitterInput>();
    expectTypeOf<{ proportional: number }>().toExtend<JitterInput>();
    expectTypeOf<{ down: 0.3 }>().toExtend<JitterInput>();
    expectTypeOf<{ minus: '20ms' }>().toExtend<JitterInput>();
  });

  it.each([
    // @ts-expect-error two keys
    { jitter: { proportional: 0.1, down: 0.1 } } satisfies PolicyInput,
    // @ts-expect-error two keys
    { jitter: { down: 0.1, minus: 5 } } satisfies PolicyInput,
    // @ts-expect-error no key
    { jitter: {} } satisfies PolicyInput,
    // @ts-expect-error another key
    { jitter: { over: 0.1 } } satisfies PolicyInput,
    // @ts-expect-error a share and a length of time
    { jitter: { up: 0.1, plus: 5 } } satisfies PolicyInput,
    // @ts-expect-error what grows is missing
    { jitter: { increment: 5 } } satisfies PolicyInput,
    // @ts-expect-error no number
    { jitter: { proportional: '10%' } } satisfies PolicyInput,
    // @ts-expect-error a misspelt name
    { jitter: 'ful' } satisfies PolicyInput,
  ])('is nothing that definePolicy refuses: %j', (input) => {
    expect(() => definePolicy(input as never)).toThrow(InvalidOptionsError);
  });

  it('permits the other keys as undefined, as definePolicy does', () => {
    const input = { jitter: { proportional: 0.1, down: undefined } } as const;

    expectTypeOf(input).toExtend<PolicyInput>();
    expect(() => definePolicy(input)).not.toThrow();
  });
});
