import { definePolicy } from '@retry/core';
import { describe, expect, it } from 'vitest';
import { cureForKey } from '../../../packages/core/src/fields/cures.ts';

const POLICY_KEYS = ['maxAttempts', 'minDelay', 'maxDelay', 'totalTimeout'];

describe('cureForKey', () => {
  it.each([
    ['retries', 3, 'Use maxAttempts: 4.'],
    ['maxRetries', 3, 'Use maxAttempts: 4.'],
    ['max_retries', 3, 'Use maxAttempts: 4.'],
    ['retryLimit', 3, 'Use maxAttempts: 4.'],
    ['limit', 0, 'Use maxAttempts: 1.'],
    ['retry_limit', 3, 'Use maxAttempts: 4.'],
    ['maxRetryAttempts', 3, 'Use maxAttempts: 4.'],
    ['max_attempts', 3, 'Use maxAttempts: 3.'],
    ['maxTries', 3, 'Use maxAttempts: 3.'],
    ['max_tries', 3, 'Use maxAttempts: 3.'],
    ['max_attempts', 'three', 'Use maxAttempts, which counts the first attempt too.'],
    ['attempts', 3, 'Use maxAttempts: 3.'],
    ['numOfAttempts', 3, 'Use maxAttempts: 3.'],
    ['numRetryAttempts', 3, 'Use maxAttempts: 4.'],
    ['max_retry_limit', 3, 'Use maxAttempts: 4.'],
    ['attempt', 3, 'Use maxAttempts: 3.'],
    ['tries', 3, 'Use maxAttempts: 3.'],
    ['retries', Infinity, 'Use maxAttempts: Infinity.'],
    ['retries', -1, 'Use maxAttempts, which counts the first attempt too.'],
    ['retries', 'three', 'Use maxAttempts, which counts the first attempt too.'],
  ])('counts the first attempt: %s: %o is "%s"', (key, value, cure) => {
    expect(cureForKey(key, value, { keys: POLICY_KEYS })).toBe(cure);
  });

  it.each([
    ['maxDelayMs', "Use maxDelay: it takes milliseconds or text like '2s'. extendPolicy changes a policy."],
    ['max_delay', 'Use maxDelay.'],
    ['max_delay_ms', "Use maxDelay: it takes milliseconds or text like '2s'. extendPolicy changes a policy."],
    ['retry_delay', "Use backoff: { type: 'constant', base: … }."],
    ['delay', "Use backoff: { type: 'constant', base: … }."],
    ['minTimeout', "Use backoff: { type: 'exponential', base: …, factor: … }."],
    ['startingDelay', "Use backoff: { type: 'exponential', base: …, factor: … }."],
    ['factor', "Use backoff: { type: 'exponential', base: …, factor: … }."],
    ['timeMultiple', "Use backoff: { type: 'exponential', base: …, factor: … }."],
    ['randomize', "Use jitter: 'bounded' or 'none'."],
    ['forever', 'Use maxAttempts: Infinity.'],
    ['maxTimeout', 'Use maxDelay.'],
    ['maxRetryTime', 'Use totalTimeout.'],
    ['timeout', 'Use attemptTimeout for one attempt, or totalTimeout for all of them.'],
    ['shouldRetry', 'Use retryIf.'],
    ['onFailedAttempt', 'It is an option of withRetry(fn, policy, options), not of the policy.'],
    ['signal', 'It is an option of withRetry(fn, policy, options), not of the policy.'],
    ['colour', 'Known keys are maxAttempts, minDelay, maxDelay, totalTimeout.'],
  ])('has a cure for the foreign key %s', (key, cure) => {
    expect(cureForKey(key, 5, { keys: POLICY_KEYS })).toBe(cure);
  });

  it.each(['delayed', 'xfactor', 'factors', 'idletimeout', 'timeouts', 'until-when', 'maxMsDelay', 'offset'])(
    'does not take %s for a habit that it resembles',
    (key) => {
      expect(cureForKey(key, 5, { keys: POLICY_KEYS })).toMatch(
        /^(Did you mean maxDelay\? )?Known keys are maxAttempts, minDelay, maxDelay, totalTimeout\.$/,
      );
    },
  );

  it('mentions the policy only for keys of the policy', () => {
    expect(cureForKey('retries', 3, { keys: ['max', 'mode'] })).toBe('Known keys are max, mode.');
    expect(cureForKey('timeout', 3, { keys: ['max', 'mode'] })).toBe('Known keys are max, mode.');
    expect(cureForKey('maxAttempts', 9, { keys: ['signal'] })).toBe(
      'maxAttempts belongs to the policy. Known keys are signal.',
    );
    expect(cureForKey('maxMs', 3, { keys: ['max', 'mode'] })).toBe(
      "Use max: it takes milliseconds or text like '2s'.",
    );
  });

  it('says where a key of the policy is written when the policy stands beside the options', () => {
    const known = {
      keys: ['signal'],
      cures: { abortSignal: 'Use signal.' },
      order: 'retry(fn, policy, options)',
    };

    expect(cureForKey('maxDelay', 5, known)).toBe('Write it in the policy: retry(fn, policy, options).');
    expect(cureForKey('retries', 3, known)).toBe(
      'Use maxAttempts: 4 in the policy: retry(fn, policy, options).',
    );
    expect(cureForKey('abortSignal', 5, known)).toBe('Use signal.');
    expect(cureForKey('colour', 5, known)).toBe('Known keys are signal.');
    expect(cureForKey('toString', 5, known)).toBe('Known keys are signal.');
  });

  it.each([
    ['maxdelay', 'maxDelay'],
    ['bakoff', 'backoff'],
    ['JITTER', 'jitter'],
    ['retry_on', 'retryOn'],
    ['stopsOn', 'stopOn'],
    ['attemptTimout', 'attemptTimeout'],
    ['totaltimeuot', 'totalTimeout'],
  ])('names the key that %s was meant to be', (key, meant) => {
    const keys = [
      'backoff',
      'jitter',
      'maxDelay',
      'minDelay',
      'retryOn',
      'stopOn',
      'attemptTimeout',
      'totalTimeout',
    ];

    expect(cureForKey(key, 5, { keys })).toMatch(
      new RegExp(`^(Did you mean ${meant}\\? Known|Use ${meant}\\.)`),
    );
  });

  it.each(['colour', 'at', 'x', '', 'z'.repeat(1_000_000)])(
    'names none for what is no key with a mistake: %s',
    (key) => {
      expect(cureForKey(key, 5, { keys: ['on', 'key', 'retryOn', 'maxDelay'] })).toMatch(
        /^Known keys are on, key/,
      );
    },
  );

  it('is the cure in the error of definePolicy', () => {
    // Keys of other libraries, which the type forbids.
    const input = { retries: 3 } as never;

    expect(() => definePolicy(input)).toThrow('retries is not a known key, got 3. Use maxAttempts: 4.');
  });
});
