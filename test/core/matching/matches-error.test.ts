import { definePolicy, type Matcher, matchesError } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { HttpError, QuotaError, ThrottledError } from '../thrown-values.ts';

/** Reads the matcher with a policy, so that the tests use matchers as people write them. */
function matches(matcher: Matcher, error: unknown): boolean {
  const [read] = settingsOf(definePolicy({ stopOn: [matcher] })).stopOn;
  return read !== undefined && matchesError(read, error);
}

const withCode = (code: unknown) => Object.assign(new Error('coded'), { code });

describe('matchesError with a class', () => {
  it('matches the class and its subclasses, not its parents and siblings', () => {
    expect(matches(ThrottledError, new ThrottledError(429))).toBe(true);
    expect(matches(ThrottledError, new QuotaError(429))).toBe(true);
    expect(matches(ThrottledError, new HttpError(500))).toBe(false);
    expect(matches(ThrottledError, new TypeError('x'))).toBe(false);
    expect(matches(Error, new QuotaError(429))).toBe(true);
  });

  it('matches by name an instance of another copy of the class, and of its subclasses', () => {
    const Copy = class ThrottledError extends Error {};
    const Child = class Child extends Copy {};

    expect(matches(ThrottledError, new Copy('copy'))).toBe(true);
    expect(matches(ThrottledError, new Child('child'))).toBe(true);
  });

  it('does not match by error.name alone, nor by names of one or two letters', () => {
    const [Short, OtherShort] = [class ab extends Error {}, class ab extends Error {}];

    expect(matches(ThrottledError, Object.assign(new Error('x'), { name: 'ThrottledError' }))).toBe(false);
    expect(matches(Short, new Short('same class'))).toBe(true);
    expect(matches(Short, new OtherShort('other class'))).toBe(false);
  });

  it.each([undefined, null, 'Error', 0, 5n, Symbol('Error'), {}, Object.create(null), () => 'Error'])(
    'does not match %o, which is not an error',
    (value) => {
      expect(matches(Error, value)).toBe(false);
    },
  );

  it('accepts classes that do not extend Error, and classes written as functions', () => {
    class Plain {}
    function Old(this: object): void {}
    Old.prototype = Object.create(Error.prototype);

    expect(matches(Plain, new Plain())).toBe(true);
    expect(matches(Plain, new Error('x'))).toBe(false);
    expect(matches(Old as never, Object.create(Old.prototype))).toBe(true);
    expect(matches(Old as never, new Error('x'))).toBe(false);
  });
});

describe('matchesError with a class of the runtime', () => {
  it.each([Map, URLSearchParams, Promise, Date] as const)('accepts %o, which is not asked', (builtIn) => {
    const thrown = builtIn === Promise ? Promise.resolve() : new (builtIn as new () => object)();

    expect(matches(builtIn as never, thrown)).toBe(true);
    expect(matches(builtIn as never, new Error('no'))).toBe(false);
  });
});

describe('matchesError with a class of an odd name', () => {
  const named = (name: unknown) => Object.defineProperty(class {}, 'name', { value: name });

  it('distinguishes classes whose names are not strings', () => {
    const [One, Other] = [named(12_345), named(12_345)];

    expect(matches(One, new One())).toBe(true);
    expect(matches(One, new Other())).toBe(false);
  });

  it('accepts an object without a class', () => {
    expect(matches(ThrottledError, Object.create(Object.create(null)))).toBe(false);
    expect(matches({ name: 'ThrottledError' }, Object.create(Object.create(null)))).toBe(false);
  });
});

describe('matchesError with a predicate', () => {
  it('calls a function whose source contains the word class, or that has no prototype', () => {
    function speaks(error: unknown): boolean {
      return Object(error).class === 'transient';
    }
    function bare(): boolean {
      return true;
    }
    bare.prototype = null;

    expect(matches(speaks, { class: 'transient' })).toBe(true);
    expect(matches(bare, new Error('x'))).toBe(true);
  });

  it('reads null as false', () => {
    const answersNull = (() => null) as unknown as Matcher; // what JavaScript callers write

    expect(matches(answersNull, new Error('x'))).toBe(false);
  });

  it('refuses a promise, with a cure', () => {
    const answersLater = (() => Promise.resolve(true)) as unknown as Matcher; // what JavaScript callers write

    expect(() => matches(answersLater, new Error('x'))).toThrow(
      'a gate, predicate or strategy must answer immediately, got a promise. Ask before the attempt ends.',
    );
  });

  it('handles the rejection of a refused promise', async () => {
    const rejections: unknown[] = [];
    const listen = (reason: unknown): void => void rejections.push(reason);
    process.on('unhandledRejection', listen);
    const answersNever = (() => Promise.reject(new Error('later'))) as unknown as Matcher; // as above

    expect(() => matches(answersNever, new Error('x'))).toThrow('must answer immediately');
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', listen);

    expect(rejections).toEqual([]);
  });

  it('calls arrows and functions with the thrown value', () => {
    const isText = (error: unknown) => typeof error === 'string';

    expect(matches(isText, 'boom')).toBe(true);
    expect(matches(isText, undefined)).toBe(false);
    expect(matches((error) => error === undefined, undefined)).toBe(true);
    expect(
      matches(function isFive(error: unknown) {
        return error === 5;
      }, 5),
    ).toBe(true);
  });

  it('passes on what it throws', () => {
    const predicate = (): boolean => {
      throw new RangeError('predicate');
    };

    expect(() => matches(predicate, new Error('x'))).toThrow('predicate');
  });
});

describe('matchesError with a name', () => {
  it('matches error.name, also of plain objects and of one letter', () => {
    expect(matches({ name: 'ThrottledError' }, { name: 'ThrottledError' })).toBe(true);
    expect(matches({ name: 'x' }, { name: 'x' })).toBe(true);
    expect(matches({ name: 'x' }, { name: 'y' })).toBe(false);
  });

  it('matches the class and its parents', () => {
    expect(matches({ name: 'QuotaError' }, new QuotaError(429))).toBe(true);
    expect(matches({ name: 'HttpError' }, new QuotaError(429))).toBe(true);
    expect(matches({ name: 'QuotaError' }, new HttpError(429))).toBe(false);
  });

  it('never matches a class by a name of one or two letters', () => {
    expect(matches({ name: 'ab' }, new (class ab extends Error {})('x'))).toBe(false);
    expect(matches({ name: 'abc' }, new (class abc extends Error {})('x'))).toBe(true);
  });

  it('matches any name of a list', () => {
    expect(matches({ name: ['TypeError', 'RangeError'] }, new RangeError('x'))).toBe(true);
    expect(matches({ name: ['TypeError', 'RangeError'] }, new SyntaxError('x'))).toBe(false);
  });
});

describe('matchesError with a code', () => {
  it.each<[string | number | (string | number)[], unknown, boolean]>([
    ['ECONNRESET', 'ECONNRESET', true],
    ['ECONNRESET', 'ECONNRES', false],
    [['A', 'B'], 'B', true],
    [['A', 'B'], 'C', false],
    ['08*', '08006', true],
    ['08*', '08', true],
    ['08*', '18006', false],
    ['08*', 8006, false],
    ['*', 'anything', true],
    ['*', undefined, false],
    [11, 11, true],
    [11, '11', false],
    ['11', 11, false],
    [['ER_*', 5], 5, true],
  ])('%o for an error of code %o: %o', (code, given, answer) => {
    expect(matches({ code }, withCode(given))).toBe(answer);
  });

  it('finds no code in a value that is not an object', () => {
    expect(matches({ code: 'A' }, 'A')).toBe(false);
    expect(matches({ code: 'A' }, undefined)).toBe(false);
  });
});

describe('matchesError with a status', () => {
  it.each([
    [{ status: 503 }],
    [{ statusCode: 503 }],
    [{ response: { status: 503 } }],
    [{ response: { statusCode: 503 } }],
    [{ $metadata: { httpStatusCode: 503 } }],
  ])('finds it in %o', (carrier) => {
    expect(matches({ status: [429, 503] }, Object.assign(new Error('x'), carrier))).toBe(true);
    expect(matches({ status: 500 }, Object.assign(new Error('x'), carrier))).toBe(false);
  });

  it('matches a thrown Response', () => {
    expect(matches({ status: 429 }, new Response(null, { status: 429 }))).toBe(true);
  });
});

describe('matchesError with a message', () => {
  it('tests the message of an error and a thrown string', () => {
    expect(matches({ message: /timed out/i }, new Error('Timed out after 5 s'))).toBe(true);
    expect(matches({ message: /timed out/i }, 'it timed out')).toBe(true);
    expect(matches({ message: /timed out/i }, new Error('refused'))).toBe(false);
  });

  it('reads a message that is not a string as an empty one', () => {
    expect(matches({ message: /undefined|null|5/ }, { message: 5 })).toBe(false);
    expect(matches({ message: /undefined|null/ }, undefined)).toBe(false);
    expect(matches({ message: /^$/ }, { message: 5 })).toBe(true);
    expect(matches({ message: /./ }, new Error())).toBe(false);
  });
});

describe('matchesError with a glob', () => {
  it.each([
    ['Timed out', true],
    ['timed out after 5 s', true],
    ['it timed out', false],
    ['timed out by the user', false],
    ['timed\nout', false],
  ])('matches the whole message, whatever its case: %j is %s', (message, isMatched) => {
    const glob = { glob: 'timed out*', except: ['*by the User*'], ignoreCase: true } as const;

    expect(matches({ message: glob }, new Error(message))).toBe(isMatched);
  });

  it('matches if any of a list does', () => {
    const message = [{ glob: 'gone*' }, 'reset', /^closed$/] as const;
    const matched = ['gone', 'was reset', 'closed', 'closed again'].map((text) =>
      matches({ message }, new Error(text)),
    );

    expect(matched).toEqual([true, true, true, false]);
  });

  it('matches codes, too', () => {
    const code = 'E*RESET';

    expect(matches({ code }, Object.assign(new Error(), { code: 'ECONNRESET' }))).toBe(true);
    expect(matches({ code }, Object.assign(new Error(), { code: 'ECONNREFUSED' }))).toBe(false);
  });
});

describe('matchesError with several fields', () => {
  it('needs all of them', () => {
    const pattern = { name: 'HttpError', status: [429], message: /HTTP/ };

    expect(matches(pattern, new HttpError(429))).toBe(true);
    expect(matches(pattern, new HttpError(503))).toBe(false);
    expect(matches({ ...pattern, code: 'A' }, new HttpError(429))).toBe(false);
  });
});
