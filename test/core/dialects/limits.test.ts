import { delayBounds } from '@retry/core';
import { ALL_SYSTEMS } from '@retry/core/dialects/all';
import { allowedAttempts, settingsOf } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { codesOf } from './problems.ts';

function read(name: string, options: object) {
  const system = ALL_SYSTEMS.find((known) => known.name === name);
  if (system === undefined) throw new Error(`no system ${name}`);
  return system.from({ ...options });
}

const DEADLINES = [
  ['p-retry', 'maxRetryTime', { maxRetryTime: 300 }],
  ['python-backoff', 'max_time', { max_time: 3 }],
  ['tenacity', 'stop_after_delay', { stop_after_delay: 3 }],
  ['retrying', 'stop_max_delay', { stop_max_delay: 300 }],
  ['stamina', 'timeout', {}],
  ['retriable', 'max_elapsed_time', {}],
  ['cenkalti-backoff', 'MaxElapsedTime', {}],
  ['ts-retry-promise', 'timeout', {}],
  ['gaxios', 'retryConfig.totalTimeout', { retryConfig: { totalTimeout: 300 } }],
  ['google-gax', 'backoffSettings.totalTimeoutMillis', { backoffSettings: { totalTimeoutMillis: 300 } }],
  ['mongodb-withtransaction', 'timeoutMS', {}],
  ['elixir-retry', 'stream', { stream: 'constant_backoff(10) |> expiry(300)' }],
] as const;

describe('a limit of time of another system', () => {
  it.each(DEADLINES)(
    'of %s is no totalTimeout of ours, and a warning about %s says so',
    (name, path, options) => {
      const { policy, warnings } = read(name, options);

      expect(settingsOf(policy).totalTimeoutMs).toBeLessThan(Infinity);
      expect(codesOf(warnings)).toContain(`DIFFERS ${path}`);
      expect(ALL_SYSTEMS.find((system) => system.name === name)?.remarks?.join()).toContain(`\`${path}\``);
    },
  );

  it('is named in every system that has a total timeout', () => {
    const named = DEADLINES.map(([name]) => name as string);
    const silent = ALL_SYSTEMS.filter(({ name, from }) => {
      const { policy, warnings } = from();
      return settingsOf(policy).totalTimeoutMs < Infinity && !named.includes(name) && warnings.length === 0;
    });

    expect(silent).toEqual([]);
  });

  // Each compares the time that has passed after the first attempt, which is not below 0.
  it.each([
    ['p-retry', { maxRetryTime: 0 }],
    ['python-backoff', { max_time: 0 }],
    ['tenacity', { stop_after_delay: 0 }],
    ['retrying', { stop_max_delay: 0 }],
    ['retriable', { max_elapsed_time: 0 }],
    ['stamina', { timeout: 0 }],
    ['ts-retry-promise', { timeout: 0 }],
    ['google-gax', { backoffSettings: { totalTimeoutMillis: 0 } }],
  ])('of 0 allows the first attempt of %s alone: %j', (name, options) => {
    const { policy, warnings } = read(name, options);

    expect(allowedAttempts(settingsOf(policy))).toBe(1);
    expect(codesOf(warnings)).toEqual([]);
  });

  it.each([
    ['cenkalti-backoff', { MaxElapsedTime: '0s' }],
    ['mongodb-withtransaction', { timeoutMS: 0 }],
    ['gaxios', { retryConfig: { totalTimeout: 0 } }],
    ['stamina', { timeout: null }],
  ])('of %s with %j is none', (name, options) => {
    const { policy, warnings } = read(name, options);

    expect(settingsOf(policy).totalTimeoutMs).toBe(Infinity);
    expect(allowedAttempts(settingsOf(policy))).toBeGreaterThan(1);
    expect(codesOf(warnings)).toEqual([]);
  });

  it('leaves one retry of retry (Elixir) after 100 ms where there is no time', () => {
    const { policy } = read('elixir-retry', { stream: 'constant_backoff(10) |> expiry(0)' });

    expect(settingsOf(policy)).toMatchObject({ maxAttempts: 2, backoff: { type: 'constant', baseMs: 100 } });
  });
});

describe('a limit on attempts of another system', () => {
  it.each([
    // None of Python
    ['stamina', { attempts: null }, Infinity],
    ['dramatiq', { max_retries: null }, Infinity],
    ['urllib3', { total: null }, Infinity],
    // A 0 that never equals the attempts, or is not read at all
    ['python-backoff', { max_tries: 0 }, Infinity],
    ['procrastinate', { max_attempts: 0 }, Infinity],
    ['nats-jetstream', { max_deliver: 0 }, Infinity],
    ['nats-jetstream', { max_deliver: -1 }, Infinity],
    // The zero values of Go and of protocol buffers
    ['river', { MaxAttempts: 0 }, 25],
    ['cloud-tasks', { maxAttempts: 0 }, 100],
    // stop_after_attempt(0) stops after the first.
    ['stamina', { attempts: 0 }, 1],
    // botocore/args.py: max_attempts of a Config is a number of retries.
    ['botocore', { max_attempts: 2 }, 3],
    ['botocore', { max_attempts: 0 }, 1],
    ['botocore', { total_max_attempts: 2 }, 2],
    ['botocore', { max_attempts: 9, total_max_attempts: 2 }, 2],
    ['botocore', {}, 5],
    ['botocore', { mode: 'standard' }, 3],
  ] as const)('of %s, %j, allows %d', (name, options, attempts) => {
    expect(allowedAttempts(settingsOf(read(name, options).policy))).toBe(attempts);
  });

  it('reads the zero values of jpillora/backoff as its defaults', () => {
    expect(read('jpillora-backoff', { Min: '0s', Max: '0s', Factor: 0 }).policy).toEqual(
      read('jpillora-backoff', {}).policy,
    );
  });
});

it('a factor of 0 is 1 in p-retry', () => {
  const { policy } = read('p-retry', { factor: 0 });

  expect(settingsOf(policy).backoff).toMatchObject({ factor: 1 });
});

it('the jitter of urllib3 needs no backoff factor, and spares the first retry', () => {
  const { policy } = read('urllib3', { total: 3, backoff_jitter: 0.5 });

  expect([1, 2, 3].map((retry) => delayBounds(policy, retry))).toEqual([
    [0, 0],
    [0, 500],
    [0, 500],
  ]);
});

// Its wait is the longest of all that are given, each drawn on its own.
it.each([
  [{ wait_fixed: 1_000, wait_random_max: 500 }, [1_000, 1_000], false],
  [{ wait_fixed: 1_000, wait_random_max: 3_000 }, [1_000, 3_000], true],
  [{ wait_random_min: 100, wait_random_max: 300 }, [100, 300], false],
  [{ wait_exponential_multiplier: 500, wait_random_max: 1_500 }, [1_000, 1_500], true],
])('several waits of retrying are compared, not added: %j', (options, bounds, differs) => {
  const { policy, warnings } = read('retrying', options);

  expect(delayBounds(policy, 1)).toEqual(bounds);
  expect(codesOf(warnings)).toEqual(differs ? ['DIFFERS wait_random_max'] : []);
});
