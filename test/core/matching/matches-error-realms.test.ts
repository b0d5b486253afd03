import { runInNewContext } from 'node:vm';
import { definePolicy, type MatcherInput, matchesError } from '@retry/core';
import { settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';

function matches(matcher: MatcherInput, error: unknown): boolean {
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
