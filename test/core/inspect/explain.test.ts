import type { Counters, Explanation, PolicyInput } from '@retry/core';
import { AttemptTimeoutError, definePolicy, explain, NonRetryableError } from '@retry/core';
import { describe, expect, it } from 'vitest';

function explanationOf(
  input: PolicyInput,
  error: unknown = new TypeError('x'),
  counters?: Counters,
): Explanation {
  return explain(definePolicy(input), error, counters);
}

describe('explain', () => {
  it('says that every error is expected if none is listed', () => {
    expect(explanationOf({})).toEqual({ retries: true, rule: 'retryOn', text: 'Every error is expected.' });
  });

  it('names the first matcher that expects the error', () => {
    const retryOn = [RangeError, { name: 'TypeError' }, TypeError];

    expect(explanationOf({ retryOn })).toEqual({
      retries: true,
      rule: 'retryOn[1]',
      text: 'retryOn[1] expects it.',
    });
  });

  it('says that the gate agrees', () => {
    expect(explanationOf({ retryOn: [TypeError], retryIf: () => true }).text).toBe(
      'retryOn[0] expects it, and retryIf agrees.',
    );
  });

  it('says that an attempt timeout is expected whatever retryOn lists', () => {
    const timeout = new AttemptTimeoutError(1_000, 1);

    expect(explanationOf({ retryOn: 'nothing' }, timeout)).toEqual({
      retries: true,
      rule: 'retryTimeouts',
      text: 'An attempt timeout is expected.',
    });
    expect(explanationOf({ retryOn: 'nothing', retryTimeouts: false }, timeout)).toMatchObject({
      retries: false,
      reason: 'unexpected',
    });
  });

  it('calls no matcher of retryOn for an expected timeout, as decide does', () => {
    const throws = (): never => {
      throw new RangeError('predicate');
    };

    expect(explanationOf({ retryOn: [throws] }, new AttemptTimeoutError(1, 1))).toMatchObject({
      retries: true,
      rule: 'retryTimeouts',
    });
  });

  it('names the matcher of stopOn that forbids it, before everything else', () => {
    const input = { retryOn: [TypeError], stopOn: [RangeError, TypeError], maxAttempts: 1 };

    expect(explanationOf(input)).toEqual({
      retries: false,
      reason: 'stopped',
      rule: 'stopOn[1]',
      text: 'stopOn[1] says no.',
    });
  });

  it('says that the error itself forbids it', () => {
    expect(explanationOf({ stopOn: [NonRetryableError] }, new NonRetryableError('x'))).toEqual({
      retries: false,
      reason: 'stopped',
      rule: 'NonRetryableError',
      text: 'The error itself forbids a retry.',
    });
  });

  it.each<[PolicyInput]>([[{ retryOn: [RangeError] }], [{ retryOn: 'nothing' }]])(
    'says that no matcher means it: %j',
    (input) => {
      expect(explanationOf(input)).toEqual({
        retries: false,
        reason: 'unexpected',
        rule: 'retryOn',
        text: 'No matcher of retryOn matches this error.',
      });
    },
  );

  it('says that the policy is not retryable', () => {
    expect(explanationOf({ retryable: false })).toEqual({
      retries: false,
      reason: 'not-retryable',
      rule: 'retryable',
      text: 'The policy has retryable: false.',
    });
  });

  it('counts failures and stalls that used up the attempts', () => {
    expect(explanationOf({ maxAttempts: 3 }, new TypeError('x'), { failures: 2, stalls: 1 })).toEqual({
      retries: false,
      reason: 'exhausted',
      rule: 'maxAttempts',
      text: 'It is expected, but 3 of 3 attempts are used.',
    });
  });

  it('assumes that the first attempt has failed by default', () => {
    const retryIf = (_: unknown, { attempt }: { attempt: number }): boolean => attempt === 1;

    expect(explanationOf({ retryIf }).retries).toBe(true);
  });

  it('says that the gate refuses', () => {
    expect(explanationOf({ retryIf: () => false })).toEqual({
      retries: false,
      reason: 'stopped',
      rule: 'retryIf',
      text: 'retryIf says no.',
    });
  });

  it('says what a gate threw', () => {
    const retryIf = (): never => {
      throw new RangeError('gate');
    };

    expect(explanationOf({ retryIf })).toEqual({
      retries: false,
      reason: 'stopped',
      rule: 'thrown',
      text: 'A rule of the policy threw RangeError: gate, so the run stops with its own error.',
    });
  });

  it('reports a gate that returns a promise', () => {
    const retryIf = (): never => Promise.resolve(true) as never; // what JavaScript callers do

    expect(explanationOf({ retryIf })).toMatchObject({ retries: false, reason: 'stopped', rule: 'thrown' });
  });

  it.each<[string, unknown]>([
    ['a symbol', Symbol('x')],
    ['an object without a prototype', Object.create(null)],
    ['an object that cannot be read', { toString: 1, valueOf: 1 }],
    ['nothing', undefined],
  ])('does not throw if a rule threw %s', (_name, thrown) => {
    const retryIf = (): never => {
      throw thrown;
    };

    expect(explanationOf({ retryIf })).toMatchObject({ retries: false, reason: 'stopped', rule: 'thrown' });
  });
});
