import { definePolicy } from '@retry/core';
import { ALL_SYSTEMS } from '@retry/core/dialects/all';
import { describe, expect, it } from 'vitest';
import { cureForKey, POLICY_KEYS } from '../../../packages/core/src/fields/cures.ts';
import {
  BACKOFF_SYNONYMS,
  PATTERN_SYNONYMS,
  POLICY_SYNONYMS,
} from '../../../packages/core/src/fields/synonyms.ts';

const FEW_KEYS = ['maxAttempts', 'minDelay', 'maxDelay', 'totalTimeout'];

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
    ['times', 3, 'Use maxAttempts: 3.'],
    ['retries', Infinity, 'Use maxAttempts: Infinity.'],
    ['retries', -1, 'Use maxAttempts, which counts the first attempt too.'],
    ['retries', 'three', 'Use maxAttempts, which counts the first attempt too.'],
  ])('counts the first attempt: %s: %o is "%s"', (key, value, cure) => {
    expect(cureForKey(key, value, { keys: FEW_KEYS })).toBe(cure);
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
    expect(cureForKey(key, 5, { keys: FEW_KEYS })).toBe(cure);
  });

  it.each(['delayed', 'xfactor', 'factors', 'idletimeout', 'timeouts', 'until-when', 'offset'])(
    'does not take %s for a habit that it resembles',
    (key) => {
      expect(cureForKey(key, 5, { keys: FEW_KEYS })).toMatch(
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

  // Names that no policy has anything for: which formula draws the jitter, and the version of a system.
  const WITHOUT_CURE = ['cockatiel.generator', 'tenacity.version'];
  const OFTEN_LEFT = [
    'async-retry',
    'axios-retry',
    'cockatiel',
    'exponential-backoff',
    'go-retryablehttp',
    'got',
    'p-retry',
    'polly',
    'resilience4j',
    'retrying',
    'stamina',
    'step-functions',
    'temporal',
    'tenacity',
    'ts-retry-promise',
  ];

  it.each(
    ALL_SYSTEMS.filter(({ name }) => OFTEN_LEFT.includes(name)).flatMap(({ name, options }) =>
      Object.keys(options)
        .map((key) => ({ name, key }))
        .filter((option) => !WITHOUT_CURE.includes(`${option.name}.${option.key}`)),
    ),
  )('has a cure for $key of $name', ({ key }) => {
    expect(
      POLICY_KEYS.includes(key as never) ? 'Use it.' : cureForKey(key, 3, { keys: POLICY_KEYS }),
    ).toMatch(/^Use /);
  });

  it.each([
    ['statusCode', 'retryOn'],
    ['status', 'retryOn'],
    ['retryableErrors', 'retryOn'],
    ['statusCodes', 'retryOn'],
    ['errorCodes', 'retryOn'],
    ['multiplier', 'backoff'],
    ['factor', 'backoff'],
    ['minTimeout', 'backoff'],
    ['initialInterval', 'backoff'],
    ['backoffType', 'backoff'],
    ['calculateDelay', 'backoff'],
    ['maxTime', 'totalTimeout'],
    ['max_time', 'totalTimeout'],
    ['maxRetryTime', 'totalTimeout'],
    ['maxElapsedTime', 'totalTimeout'],
    ['MaxElapsedTime', 'totalTimeout'],
    ['--retry-max-time', 'totalTimeout'],
    ['maxInterval', 'maxDelay'],
    ['maxIntervalMs', 'maxDelay'],
    ['MaxDelaySeconds', 'maxDelay'],
    ['useJitter', 'jitter'],
    ['randomizationFactor', 'jitter'],
    ['retryCondition', 'retryIf'],
    ['shouldHandle', 'retryIf'],
    ['abortOn', 'stopOn'],
    ['ignoreExceptions', 'stopOn'],
    ['nonRetryableErrorTypes', 'stopOn'],
    ['perTryTimeout', 'attemptTimeout'],
    ['respectRetryAfterHeader', 'retryAfter'],
    ['startWithNoDelay', 'immediateFirst'],
    ['retryConfig', 'the options inside it'],
  ])('sends who writes %s to %s', (key, ours) => {
    expect(cureForKey(key, {}, { keys: POLICY_KEYS })).toMatch(new RegExp(`^Use ${ours}\\b`));
  });

  it.each(POLICY_KEYS)(
    'takes %s with one letter too many for a mistake, not for the key of another library',
    (key) => {
      expect(cureForKey(`${key}s`, 3, { keys: POLICY_KEYS })).toMatch(new RegExp(`^Did you mean ${key}\\?`));
    },
  );

  it('takes a number in retry for the retries, and an object for a policy', () => {
    expect(cureForKey('retry', 3, { keys: POLICY_KEYS })).toBe('Use maxAttempts: 4.');
    expect(cureForKey('retry', { limit: 3 }, { keys: POLICY_KEYS })).toBe(
      'Use the options inside it, as the policy itself.',
    );
  });

  it('gives every row of the tables a key of ours', () => {
    const rows = [
      ...POLICY_SYNONYMS.map(([, ours]) => [POLICY_KEYS, ours] as const),
      ...BACKOFF_SYNONYMS.map(
        ([, ours]) => [['base', 'factor', 'increment', 'delays', 'strategy'], ours] as const,
      ),
      ...PATTERN_SYNONYMS.map(
        ([, ours]) =>
          [['status', 'code', 'message', 'name', 'sqlState', 'label', 'unless', 'anywhere'], ours] as const,
      ),
    ];

    for (const [keys, ours] of rows) {
      if (!/^(the options|methods) /.test(ours)) expect(keys).toContain(/^\w+/.exec(ours)?.[0]);
    }
  });

  it.each([
    [
      { type: 'exponential', base: '1s', multiplier: 2 },
      'backoff.multiplier is not a known key, got 2. Use factor.',
    ],
    [{ type: 'exponential', delay: '1s' }, 'backoff.delay is not a known key, got "1s". Use base.'],
    [
      { type: 'exponential', initialDelay: 100 },
      'backoff.initialDelay is not a known key, got 100. Use base.',
    ],
    [{ type: 'linear', base: 1, step: 1 }, 'backoff.step is not a known key, got 1. Use increment.'],
    [
      { type: 'exponential', base: '1s', max: '1m' },
      'backoff.max is not a known key, got "1m". Use maxDelay of the policy, beside backoff.',
    ],
    [{ type: 'fixed', base: 1 }, `backoff.type is not a kind of backoff, got "fixed". Use 'constant'.`],
    [
      { type: 'expo', base: 1 },
      `backoff.type is not a kind of backoff, got "expo". Use 'exponential'; jitter is`,
    ],
    [
      'exponential',
      `backoff must be an object, got "exponential". Use backoff: { type: 'exponential', base: '1s' }.`,
    ],
    [500, "backoff must be an object, got 500. Use backoff: { type: 'constant', base: 500 }."],
    ['2s', `backoff must be an object, got "2s". Use backoff: { type: 'constant', base: '2s' }.`],
    [
      [1, 2],
      "backoff must be an object, got [1,2]. Use backoff: { type: 'list', delays: ['1s', '5s', '1m'] }.",
    ],
    [
      () => 5,
      "backoff must be an object, got function (anonymous). Use backoff: { type: 'custom', strategy: (retry) => retry * 1_000 }.",
    ],
  ])('says what to write instead of the backoff %o', (backoff, message) => {
    expect(() => definePolicy({ backoff } as never)).toThrow(message);
  });

  it('is the cure in the error of definePolicy', () => {
    // Keys of other libraries, which the type forbids.
    const input = { retries: 3 } as never;

    expect(() => definePolicy(input)).toThrow('retries is not a known key, got 3. Use maxAttempts: 4.');
  });
});
