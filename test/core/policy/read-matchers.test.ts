import { definePolicy, InvalidOptionsError, matchesError, parsePolicy, policyToJSON } from '@retry/core';
import { type ErrorPattern, settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';

const read = (retryOn: unknown) => settingsOf(definePolicy({ retryOn: retryOn as never })).retryOn;

function firstPattern(retryOn: unknown): ErrorPattern {
  const [first] = read(retryOn) as readonly ErrorPattern[];
  return first ?? {};
}

describe('readMatchers', () => {
  it('keeps classes and predicates as they are', () => {
    const predicate = () => true;

    expect(read([TypeError, predicate])).toEqual([TypeError, predicate]);
  });

  it('keeps one value and lists of values', () => {
    const pattern = { name: 'A', code: ['X', 5], status: 503, cause: { name: ['B', 'C'] } };

    expect(read([pattern])).toEqual([pattern]);
  });

  it.each([
    [/x/g, ''],
    [/x/y, 'y'],
    [/x/gi, 'i'],
    [/x/gimsuy, 'imsuy'],
  ])('keeps what decides whether %s matches', (message, flags) => {
    const pattern = firstPattern([{ message }]);

    expect(pattern.message).toMatchObject({ source: 'x', flags });
  });

  it('matches the same error every time, whatever the flags', () => {
    const pattern = firstPattern([{ message: /boom/gy }]);
    const error = new Error('boom');

    const answers = [1, 2, 3].map(() => matchesError(pattern, error));

    expect(answers).toEqual([true, true, true]);
  });

  it('matches at the beginning only with the flag y', () => {
    const pattern = firstPattern([{ message: /down/y }]);

    expect([1, 2].map(() => matchesError(pattern, new Error('down again')))).toEqual([true, true]);
    expect(matchesError(pattern, new Error('is down'))).toBe(false);
  });

  it('keeps globs, alone and in lists', () => {
    const message = { glob: 'timed out*', except: ['timed out by the user*'], ignoreCase: true };

    expect(firstPattern([{ message }]).message).toEqual(message);
    expect(firstPattern([{ message: ['x', message, /y/] }]).message).toEqual(['x', message, /y/]);
  });

  it.each([
    [
      [{ message: 5 }],
      'retryOn[0].message must be text, a glob or a list of them, got 5. Use text that the message',
    ],
    [[{ message: '' }], 'retryOn[0].message must not be empty, got "".'],
    [[{ message: ['x', ''] }], 'retryOn[0].message[1] must not be empty, got "".'],
    [[{ message: [] }], 'retryOn[0].message must not be empty, got [].'],
    [[{ message: { glob: 5 } }], 'retryOn[0].message.glob must be text, got 5.'],
    [
      [{ message: { glob: 'x', except: 5 } }],
      'retryOn[0].message.except must be one value or a list of them',
    ],
    [
      [{ message: { glob: 'x', ignoreCase: 'yes' } }],
      'retryOn[0].message.ignoreCase must be true, got "yes".',
    ],
    [[{ status: 413, retryAfter: false }], 'retryOn[0].retryAfter must be true, got false.'],
    [[async () => true], 'retryOn[0] must answer immediately, not by a promise, got function'],
    [[{ cause: async () => true }], 'retryOn[0].cause must answer immediately'],
    [
      [{ message: { pattern: 'x', flags: 'i' } }],
      'retryOn[0].message must be no regular expression as data: one that backtracks blocks its process, got',
    ],
    [[/timed out/i], 'retryOn[0] is not a matcher, got /timed out/i. Use { message: /timed out/i }.'],
    [[{ code: '' }], 'retryOn[0].code must be one value or a list of them, got "".'],
    [[{ message: { glob: 'x', flag: 'i' } }], 'retryOn[0].message.flag is not a known key'],
    [[Error, {}], "retryOn[1] has no fields, got {}. Use 'everything' for every error."],
    [[{ cause: {} }], 'retryOn[0].cause has no fields'],
    [
      [{ cause: 'Error' }],
      `retryOn[0].cause is not a matcher, got "Error". Use { name: 'Error' }. Use an error class,`,
    ],
    [[{ codes: ['A'] }], 'retryOn[0].codes is not a known key, got ["A"]. Use code.'],
    [
      [{ mesage: 'A' }],
      'retryOn[0].mesage is not a known key, got "A". Did you mean message? Known keys are name, code, status, message, errno, sqlState, label, retryAfter, retryable, cause, anywhere, unless, ambiguous.',
    ],
    [[{ statusCode: 503 }], 'retryOn[0].statusCode is not a known key, got 503. Use status.'],
    [[{ text: 'timed out' }], 'retryOn[0].text is not a known key, got "timed out". Use message.'],
    [[{ errorName: 'A' }], 'retryOn[0].errorName is not a known key, got "A". Use name.'],
    [['ECONNRESET'], `retryOn[0] is not a matcher, got "ECONNRESET". Use { code: 'ECONNRESET' }.`],
    [['TimeoutError'], `retryOn[0] is not a matcher, got "TimeoutError". Use { name: 'TimeoutError' }.`],
    [['timed out'], `retryOn[0] is not a matcher, got "timed out". Use { message: 'timed out' }.`],
    [[503], 'retryOn[0] is not a matcher, got 503. Use { status: 503 }.'],
    [['503'], 'retryOn[0] is not a matcher, got "503". Use { status: 503 }.'],
    [[1205], 'retryOn[0] is not a matcher, got 1205. Use { code: 1205 }.'],
    [[[Error]], 'retryOn[0] is not a matcher, got [null]. Spread a list into this one: [...network, …].'],
    [
      'ECONNRESET',
      `retryOn must be a list of matchers, got "ECONNRESET". Use retryOn: [{ code: 'ECONNRESET' }].`,
    ],
    [503, 'retryOn must be a list of matchers, got 503. Use retryOn: [{ status: 503 }].'],
    [
      /timed out/,
      'retryOn must be a list of matchers, got /timed out/. Use retryOn: [{ message: /timed out/ }].',
    ],
    [{ status: 503 }, 'retryOn must be a list of matchers, got {"status":503}. Use retryOn: […].'],
    [TypeError, 'retryOn must be a list of matchers, got function TypeError. Use retryOn: […].'],
    [true, "retryOn must be a list of matchers, got true. Use 'everything'."],
    ['never', `retryOn must be a list of matchers, got "never". Use 'nothing'.`],
    [[{ code: [] }], 'retryOn[0].code must be one value or a list of them, got [].'],
    [
      [{ status: '503' }],
      'retryOn[0].status must be one value or a list of them, got "503". Use numbers: { status: 503 }.',
    ],
    ['all', `retryOn must be a list of matchers, got "all". Use 'everything'.`],
    [[], "retryOn must not be empty, got []. Use 'everything' or 'nothing'."],
  ])('refuses %o', (retryOn, message) => {
    expect(() => read(retryOn)).toThrow(message);
  });

  it.each([
    ['name', Object.assign(new Array(3), { 0: 'A', 2: 'B' })],
    ['code', Object.assign(new Array(2), { 1: 'A' })],
    ['code', Object.assign(new Array(2), { 0: 11 })],
    ['status', new Array(3)],
  ])('refuses a list with nothing at some of its places: %s', (key, list) => {
    expect(() => read([{ [key]: list }])).toThrow(`retryOn[0].${key} must be one value or a list of them`);
  });

  it('refuses a list of matchers with nothing at some of its places', () => {
    expect(() => read(Object.assign(new Array(3), { 0: Error, 2: TypeError }))).toThrow(
      'retryOn[1] is not a matcher, got undefined',
    );
  });

  it.each([{ code: -0 }, { code: [-0, 'A'] }, { status: -0 }, { status: [-0] }])(
    'survives JSON as a policy with %o does',
    (pattern) => {
      const policy = definePolicy({ retryOn: [pattern] });

      expect(parsePolicy(JSON.stringify(policyToJSON(policy)))).toEqual(policy);
    },
  );

  it.each([{ code: undefined }, { name: undefined, status: undefined }, { cause: undefined }])(
    'refuses %o, which has no fields either',
    (matcher) => {
      expect(() => read([matcher])).toThrow('retryOn[0] has no fields');
    },
  );

  it('refuses a cause that contains itself', () => {
    const circle: { cause?: unknown } = {};
    circle.cause = circle;

    const define = () => read([circle]);

    expect(define).toThrow(InvalidOptionsError);
    expect(define).toThrow(
      /(\.cause){10,} is nested too deep, got .* Use one cause: it matches at any depth\.$/,
    );
  });

  it('reads causes with a path of up to a hundred characters', () => {
    const nested = (depth: number): ErrorPattern =>
      depth === 0 ? { name: 'Innermost' } : { cause: nested(depth - 1) };

    // retryOn[0] are 10 letters, each .cause 6 more
    expect(read([nested(15)])).toEqual([nested(15)]);
    expect(() => read([nested(16)])).toThrow('is nested too deep');
  });

  it("accepts 'everything' and 'nothing' for retryOn alone", () => {
    expect(read('nothing')).toBe('nothing');
    expect(read('everything')).toBe('everything');
    expect(read(undefined)).toBe('everything');
    expect(() => definePolicy({ stopOn: 'everything' as never })).toThrow(
      'stopOn must be a list of matchers',
    );
    expect(() => definePolicy({ stopOn: 'nothing' as never })).toThrow('stopOn must be a list of matchers');
  });
});
