import { existsSync } from 'node:fs';
import { delayBounds, InvalidOptionsError, isPolicy, isSerializable } from '@retry/core';
import { ALL_SYSTEMS } from '@retry/core/dialects/all';
import { settingsOf } from '@retry/core/fields';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRuns } from '../../support/property-runs.ts';

const values = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, 0, 1, 3, 25, 1.5, -1, 1e300, Infinity, true, false),
  fc.constantFrom<unknown>(
    '1s',
    '1m30s',
    '10 30',
    '1,3',
    'exponential',
    'Infinity',
    '',
    'x',
    [1, 2],
    ['1s'],
    {},
  ),
  fc.anything({ withBigInt: true, withDate: true }),
);

/** The systems with a reader of their own are tested by themselves. */
const SEEDS = ['celery', 'cmdx', 'fluid', 'jobbers', 'tasker'];

describe.each(ALL_SYSTEMS.map((system) => [system.name, system] as const))('%s', (name, system) => {
  const keys = Object.keys(system.options);

  it('is a module of its name, with a frozen policy of defaults', () => {
    const { policy, warnings } = system.from();

    expect(
      existsSync(new URL(`../../../packages/core/src/dialects/systems/${name}.ts`, import.meta.url)),
    ).toBe(true);
    expect(isPolicy(policy)).toBe(true);
    expect(Object.isFrozen(warnings)).toBe(true);
    for (const retry of [1, 2, 10, 1_000]) expect(delayBounds(policy, retry)[1]).toBeLessThan(Infinity);
  });

  it('says in a table what each option is', () => {
    for (const { unit, default: shown, meaning } of Object.values(system.options)) {
      expect([unit, shown, meaning].every((text) => text.length > 0)).toBe(true);
    }
  });

  it('refuses an unknown key by its name', () => {
    expect(() => system.from({ unknownKey: 1 })).toThrow('unknownKey is not a known key');
  });

  if (SEEDS.includes(name)) return;

  it('takes or refuses any value of each of its options, by its path', () => {
    const inner = Object.entries(system.options).flatMap(([key, option]) =>
      Object.keys(option.inner ?? {}).map((below) => [key, below] as const),
    );
    const options = fc.oneof(
      fc.dictionary(fc.constantFrom(...keys), values, { maxKeys: 3 }),
      ...(inner.length === 0
        ? []
        : [
            fc
              .tuple(fc.constantFrom(...inner), values)
              .map(([[key, below], value]) => ({ [key]: { [below]: value } })),
          ]),
    );
    fc.assert(
      fc.property(options, (given) => {
        try {
          const { policy } = system.from(given);
          expect(settingsOf(policy).maxAttempts).toBeGreaterThanOrEqual(1);
          expect(isSerializable(policy)).toBe(true);
        } catch (error) {
          if (!(error instanceof InvalidOptionsError)) throw error;
          for (const { path } of error.problems)
            expect(path === '' ? 'no path' : keys.find((key) => path.startsWith(key))).toBeDefined();
          expect(
            error.problems.filter(({ path }) => path !== '' && !keys.some((key) => path.startsWith(key))),
          ).toEqual([]);
        }
      }),
      { numRuns: propertyRuns(1 / 5) },
    );
  });
});

it.each([
  ['bullmq', { attempts: 3, backoff: 1_000 }, 3, [1_000, 1_000]],
  ['p-retry', { retries: 3 }, 4, [1_000, 1_000]],
  ['trigger-dev', {}, 3, [1_000, 2_000]],
  ['cloud-tasks', { minBackoff: '1s', maxDoublings: 2 }, 100, [1_000, 1_000]],
  ['step-functions', { JitterStrategy: 'FULL' }, 4, [0, 1_000]],
  ['kubernetes-job', {}, 7, [10_000, 10_000]],
] as const)('%s with %j runs %d times', (name, options, attempts, bounds) => {
  const { policy } = ALL_SYSTEMS.find((system) => system.name === name)?.from(options) ?? {};
  if (policy === undefined) throw new Error(name);

  expect(settingsOf(policy).maxAttempts).toBe(attempts);
  expect(delayBounds(policy, 1)).toEqual(bounds);
});

it.each([
  ['gaxios', { retryConfig: { totalTimeout: 5_000 } }, 5_000],
  ['ts-retry-promise', {}, 60_000],
])('%s with %j has a total timeout', (name, options, totalTimeout) => {
  const policy = ALL_SYSTEMS.find((system) => system.name === name)?.from(options).policy;

  expect(policy && settingsOf(policy).totalTimeoutMs).toBe(totalTimeout);
});

// Found by the property above.
it.each([
  ['a negative delay of gaxios as none', 'gaxios', { retryConfig: { retryDelayMultiplier: 0 } }, [0, 0]],
  [
    'an increment that is longer than any number as the longest delay',
    'retrying',
    { wait_incrementing_increment: Infinity, wait_exponential_max: Infinity },
    [Number.MAX_VALUE, Number.MAX_VALUE],
  ],
])('reads %s', (_, name, options, bounds) => {
  const system = ALL_SYSTEMS.find((one) => one.name === name);

  const policy = system?.from(options).policy;

  expect(policy && delayBounds(policy, 2)).toEqual(bounds);
});

const retryPolicy = { maxAttempts: 2, retryableStatusCodes: [0, 16, 'unavailable', 'DATA_LOSS'] };

describe('what a system itself refuses', () => {
  it.each([
    ['oban', { max_attempts: 0 }, 'max_attempts must be at least 1', { max_attempts: 1 }],
    ['graphile-worker', { maxAttempts: 0 }, 'maxAttempts must be at least 1', { maxAttempts: 1 }],
    ['rq', { max: 0 }, 'max must be at least 1', { max: 1 }],
    ['polly', { MaxRetryAttempts: 0 }, 'MaxRetryAttempts must be at least 1', { MaxRetryAttempts: 1 }],
    ['resilience4j', { maxAttempts: 0 }, 'maxAttempts must be at least 1', { maxAttempts: 1 }],
    [
      'pg-boss',
      { retryDelayMax: 5 },
      'retryDelayMax needs retryBackoff: true',
      { retryDelayMax: 5, retryBackoff: true },
    ],
    ...[
      [{ maxAttempts: 1 }, 'retryPolicy.maxAttempts must be at least 2'],
      [{ backoffMultiplier: 0 }, 'retryPolicy.backoffMultiplier must be a finite number > 0'],
      [{ retryableStatusCodes: [] }, 'retryPolicy.retryableStatusCodes must be a list'],
      [{ retryableStatusCodes: [17] }, 'retryPolicy.retryableStatusCodes must be a list'],
      [{ retryableStatusCodes: ['BUSY'] }, 'retryPolicy.retryableStatusCodes must be a list'],
    ].map(
      ([wrong, message]) =>
        [
          'grpc-js',
          { retryPolicy: { ...retryPolicy, ...Object(wrong) } },
          String(message),
          { retryPolicy },
        ] as const,
    ),
  ] as const)('%s refuses %j', (name, refused, message, accepted) => {
    const system = ALL_SYSTEMS.find((one) => one.name === name);

    expect(() => system?.from(refused)).toThrow(message);
    expect(isPolicy(system?.from(accepted).policy)).toBe(true);
  });
});

it('reads seconds of Mosquitto that make more milliseconds than a number has', () => {
  const system = ALL_SYSTEMS.find(({ name }) => name === 'mosquitto-bridge');

  expect(isPolicy(system?.from({ restart_timeout: 1.7e308 }).policy)).toBe(true);
});
