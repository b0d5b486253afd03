import { runInNewContext } from 'node:vm';
import {
  definePolicy,
  InvalidOptionsError,
  isSerializable,
  lintPolicy,
  type Matcher,
  matchesError,
} from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';

function matches(matcher: Matcher, error: unknown): boolean {
  const [read] = settingsOf(definePolicy({ stopOn: [matcher] })).stopOn;
  return read !== undefined && matchesError(read, error);
}

describe('matchesError across realms', () => {
  it('matches an error of another realm by its class name', () => {
    const error: unknown = runInNewContext('new TypeError("elsewhere")');

    expect(error).not.toBeInstanceOf(TypeError);
    expect(matches(TypeError, error)).toBe(true);
    expect(matches(Error, error)).toBe(true);
    expect(matches(RangeError, error)).toBe(false);
  });

  it('recognises a class of another realm', () => {
    const Elsewhere = runInNewContext('class ElsewhereError extends Error {}; ElsewhereError');

    expect(matches(Elsewhere, new Elsewhere('x'))).toBe(true);
    expect(matches(Elsewhere, new Error('x'))).toBe(false);
  });

  it('recognises a native class of another realm', () => {
    const ForeignTypeError = runInNewContext('TypeError');

    expect(matches(ForeignTypeError, new TypeError('here'))).toBe(true);
    expect(matches(ForeignTypeError, new RangeError('here'))).toBe(false);
    expect(matches(ForeignTypeError, 'anything')).toBe(false);
  });
});

describe('values of another realm in a policy', () => {
  const elsewhere = (code: string): never => runInNewContext(code) as never;

  it('may be a regular expression', () => {
    const message = elsewhere('/timed out/gi');

    expect(matches({ message }, new Error('it Timed Out'))).toBe(true);
    expect(matches({ message }, new Error('refused'))).toBe(false);
  });

  it('may be a whole policy', () => {
    const input = elsewhere(`({
      backoff: { type: 'list', delays: ['1s', 5] },
      jitter: { down: 0.5 },
      retryOn: [{ message: /timed out/i, cause: { code: ['ECONNRESET'] } }, (error) => false, TypeError],
      retryIf: { test: () => true },
    })`);

    expect(settingsOf(definePolicy(input))).toMatchObject({
      backoff: { type: 'list', delaysMs: [1_000, 5] },
      jitter: { down: 0.5 },
      retryOn: [{ message: /timed out/i, cause: { code: ['ECONNRESET'] } }, {}, {}],
    });
  });

  it('are refused with the cure for their kind', () => {
    expect(() => definePolicy({ retryOn: [elsewhere('/timed out/i')] })).toThrow(
      'retryOn[0] is not a matcher, got /timed out/i. Use { message: /timed out/i }.',
    );
    expect(() => definePolicy({ retryOn: [elsewhere('new RangeError("no")')] })).toThrow(
      'retryOn[0] must be an object, got RangeError: no.',
    );
    expect(() => definePolicy({ stopOn: [elsewhere('[1]')] })).toThrow('stopOn[0] is not a matcher, got [1]');
    expect(() => definePolicy({ stopOn: [elsewhere('async () => true')] })).toThrow(
      'must answer immediately',
    );
    expect(() => definePolicy(elsewhere('new Date(0)'))).toThrow('the policy must be an object');
    expect(() => definePolicy({ stopOn: elsewhere('new Set()') })).toThrow('must be a list of matchers');
  });

  it('are refused if they only claim to be regular expressions', () => {
    for (const message of [
      { [Symbol.toStringTag]: 'RegExp' },
      { [Symbol.toStringTag]: 'RegExp', source: 5 },
    ]) {
      expect(() => definePolicy({ retryOn: [{ message: message as never }] })).toThrow(InvalidOptionsError);
    }
  });

  it('is a policy that was defined with them', () => {
    const message = elsewhere('/^(a+)+$/i');
    const [matcher] = settingsOf(definePolicy({ stopOn: [{ message: 'x' }] })).stopOn;
    const foreign = { ...settingsOf(definePolicy()), stopOn: [{ ...matcher, message }] } as never;

    expect(isSerializable(foreign)).toBe(false);
    expect(lintPolicy(foreign).map(({ code }) => code)).toContain('NESTED_QUANTIFIERS');
  });
});
