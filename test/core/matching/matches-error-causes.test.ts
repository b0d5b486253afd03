import { type Matcher, matchesError, RetryAfterError, readServerDelay } from '@retry/core';
import { readErrorFacts } from '@retry/core/failures';
import { describe, expect, it } from 'vitest';
import { causesOf } from '../../../packages/core/src/matching/causes.ts';

const inner = new RangeError('inner');
const middle = new TypeError('middle', { cause: inner });
const outer = new Error('outer', { cause: middle });
const many = new AggregateError([new Error('a'), middle], 'many');

describe('matchesError with a cause', () => {
  it('matches causes at any depth, but not the error itself', () => {
    expect(matchesError({ cause: RangeError }, outer)).toBe(true);
    expect(matchesError({ cause: TypeError }, outer)).toBe(true);
    expect(matchesError({ cause: { message: /outer/ } }, outer)).toBe(false);
    expect(matchesError({ cause: SyntaxError }, outer)).toBe(false);
    expect(matchesError(RangeError, outer)).toBe(false);
  });

  it('matches the errors of an AggregateError and their causes', () => {
    expect(matchesError({ cause: TypeError }, many)).toBe(true);
    expect(matchesError({ cause: RangeError }, many)).toBe(true);
    expect(matchesError({ cause: { message: /^a$/ } }, new Error('top', { cause: many }))).toBe(true);
    expect(matchesError({ cause: SyntaxError }, many)).toBe(false);
  });

  it('matches a cause of a cause', () => {
    expect(matchesError({ cause: { name: 'TypeError', cause: RangeError } }, outer)).toBe(true);
    expect(matchesError({ cause: { name: 'RangeError', cause: TypeError } }, outer)).toBe(false);
  });

  it('matches an error in a property that a function made, as node-fetch 2 does', () => {
    function FetchError(this: { message: string }, message: string): void {
      this.message = message;
    }
    FetchError.prototype = Object.create(Error.prototype);
    const made: unknown = Reflect.construct(FetchError, ['connect ECONNREFUSED']);

    expect(matchesError({ cause: { message: 'connect' } }, { error: made })).toBe(true);
  });

  it('terminates for circular causes', () => {
    const one: Error = new Error('one');
    const other = new TypeError('other', { cause: one });
    one.cause = other;

    expect(matchesError({ cause: TypeError }, one)).toBe(true);
    expect(matchesError({ cause: SyntaxError }, one)).toBe(false);
  });

  it('terminates for an endless chain of causes', () => {
    const endless = (): Error => Object.defineProperty(new Error('endless'), 'cause', { get: endless });

    expect(matchesError({ cause: SyntaxError }, endless())).toBe(false);
  });

  it.each([undefined, null, 'text', 5, new Error('alone')])('finds no cause of %o', (value) => {
    expect(matchesError({ cause: () => true }, value)).toBe(false);
  });

  it('ignores a cause that is undefined', () => {
    expect(matchesError({ cause: () => true }, new Error('x', { cause: undefined }))).toBe(false);
    expect(matchesError({ cause: () => true }, new AggregateError([], 'x', { cause: undefined }))).toBe(
      false,
    );
  });

  it.each([5, null, 'text', { field: 'is missing' }])('ignores errors that are not a list: %o', (errors) => {
    expect(matchesError({ cause: () => true }, { errors })).toBe(false);
  });

  it('matches causes that are not errors', () => {
    expect(matchesError({ cause: (cause) => cause === 'text' }, new Error('x', { cause: 'text' }))).toBe(
      true,
    );
  });
});

describe('causesOf', () => {
  it('returns at most a thousand errors', () => {
    const inARow = (count: number): unknown =>
      Array.from({ length: count }).reduce((cause) => new Error('x', { cause }), 'innermost');

    expect(causesOf(inARow(1_000))).toHaveLength(1_000);
    expect(causesOf(inARow(1_000))).toContain('innermost');
    expect(causesOf(inARow(1_001))).toHaveLength(1_000);
    expect(causesOf(inARow(1_001))).not.toContain('innermost');
  });

  it('returns the nearest first, and each once', () => {
    const both = new AggregateError([inner, middle], 'both', { cause: middle });

    expect(causesOf(outer)).toEqual([middle, inner]);
    expect(causesOf(both)).toEqual([middle, inner]);
  });

  it('leaves out the error itself', () => {
    const own = new Error('own');
    own.cause = own;

    expect(causesOf(own)).toEqual([]);
  });
});

describe('matchesError with causes of causes', () => {
  /** A chain of so many errors. */
  const chain = (length: number): Error =>
    Array.from({ length }).reduce<Error>(
      (cause, _, index) => new Error(`${index}`, { cause }),
      new Error('end'),
    );

  it('asks once about each error, however deep the causes are nested', () => {
    let asked = 0;
    const never = (): boolean => {
      asked += 1;
      return false;
    };
    const nested = { cause: { cause: { cause: { cause: { cause: { name: 'Error', cause: never } } } } } };

    expect(matchesError(nested, chain(40))).toBe(false);
    expect(asked).toBeLessThan(40 ** 2);
  });

  it.each<[string, (inner: Matcher) => Matcher]>([
    ['cause', (inner) => ({ cause: inner })],
    ['anywhere', (inner) => ({ anywhere: inner })],
    ['anywhere of a list', (inner) => ({ anywhere: [{ code: 'E' }, inner] })],
    ['anywhere of a cause', (inner) => ({ cause: { anywhere: inner } })],
    ['unless, twice', (inner) => ({ unless: { name: 'Error', unless: inner } })],
    ['anywhere, in a pattern with a name', (inner) => ({ anywhere: { name: 'Error', anywhere: inner } })],
  ])('asks about each error a number of times that depth does not multiply: %s', (_name, around) => {
    let asked = 0;
    let nested: Matcher = () => {
      asked += 1;
      return false;
    };
    for (let depth = 0; depth < 4; depth += 1) nested = around(nested);

    matchesError(nested, chain(20));

    expect(asked).toBeLessThanOrEqual(21 ** 2);
  });

  it('matches a chain of exactly the length that the pattern has', () => {
    const nested = { cause: { cause: { cause: { message: 'end' } } } };

    expect(matchesError(nested, chain(3))).toBe(true);
    expect(matchesError(nested, chain(2))).toBe(false);
    expect(matchesError(nested, new AggregateError([chain(1), chain(0), chain(2)]))).toBe(true);
    expect(matchesError(nested, new AggregateError([chain(1), chain(0), chain(1)]))).toBe(false);
  });
});

describe('causes in other properties', () => {
  const lost = Object.assign(new Error('x'), { code: 'ECONNRESET' });
  const pattern = { cause: { code: 'ECONNRESET' } };

  it.each([
    ['an own property', { original: lost }],
    ['a list', { previousErrors: [new Error('y'), lost] }],
    ['a plain object', { meta: { driverAdapterError: lost } }],
    ['the cause of one', { networkError: new Error('y', { cause: lost }) }],
    [
      'an error of another realm',
      { detail: Object.assign(Object.create(null), { [Symbol.toStringTag]: 'Error', code: 'ECONNRESET' }) },
    ],
  ])('are found in %s', (_, properties) => {
    expect(matchesError(pattern, Object.assign(new Error('wrapped'), properties))).toBe(true);
  });

  /** As `using` throws it in Node 24 and later: its properties are not enumerable, those of TypeScript's stand-in are. */
  it.each([false, true])('are found in both errors of a SuppressedError, enumerable: %s', (enumerable) => {
    const suppressedError = (error: unknown, suppressed: unknown): Error =>
      Object.defineProperties(new Error('An error was suppressed during disposal.'), {
        error: { value: error, enumerable },
        suppressed: { value: suppressed, enumerable },
      });
    const asked = new RetryAfterError('7s');

    expect(matchesError(pattern, suppressedError(lost, new Error('y')))).toBe(true);
    expect(matchesError(pattern, suppressedError(new Error('y'), lost))).toBe(true);
    expect(matchesError(pattern, suppressedError(new Error('y'), new Error('z')))).toBe(false);
    expect(readServerDelay(suppressedError(new Error('y'), asked), 0)).toEqual({
      type: 'delay',
      delayMs: 7_000,
    });
    expect(readErrorFacts(suppressedError(lost, new Error('y')), 0)).toMatchObject({
      causeCode: 'ECONNRESET',
    });
  });

  it.each([
    ['two plain objects', { a: { b: { c: lost } } }],
    [
      'an instance of another class',
      {
        socket: new (class Socket {
          errored = lost;
        })(),
      },
    ],
    ['an object that is no error', { response: { code: 'ECONNRESET' } }],
  ])('are not searched for in %s', (_, properties) => {
    expect(matchesError(pattern, Object.assign(new Error('wrapped'), properties))).toBe(false);
  });

  it('are found without calling a getter', () => {
    let called = 0;
    const error = Object.defineProperty(new Error('x'), 'original', {
      enumerable: true,
      get: () => {
        called += 1;
        return lost;
      },
    });

    expect(matchesError(pattern, error)).toBe(false);
    expect(called).toBe(0);
  });

  it('are limited in number, also where errors hold each other', () => {
    const errors = Array.from({ length: 300 }, () => new Error('x'));
    for (const error of errors) Object.assign(error, { all: errors });

    expect(matchesError(pattern, errors[0])).toBe(false);
  });
});
