import { runInNewContext } from 'node:vm';
import { definePolicy, InvalidOptionsError } from '@retry/core';
import { defineBudget } from '@retry/core/budget';
import { defineCircuitBreaker } from '@retry/core/circuit-breaker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createWorker, defineTask } from '@retry/worker';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readScheduleOptions } from '../../packages/worker/src/schedules/schedule-options.ts';
import { readDrainOptions } from '../../packages/worker/src/session/drain.ts';

const broker = createMemoryBroker();
const run = (): void => {};
const task = defineTask({ name: 'any', run });

interface Reader {
  /** Throws the problems of these options. */
  readonly read: (options: object) => unknown;
  /** Options with which nothing is wrong. */
  readonly valid: object;
  /** What is written wrongly. */
  readonly keys: readonly string[];
}

const POLICY = [
  ...['maxAttempts', 'attempts', 'retries', 'maxRetries', 'tries', 'backoff', 'jitter', 'initialDelay'],
  ...[
    'minDelay',
    'maxDelay',
    'granularity',
    'attemptTimeout',
    'totalTimeout',
    'retryOn',
    'stopOn',
    'retryIf',
  ],
];

const READERS: Readonly<Record<string, Reader>> = {
  definePolicy: { read: (input) => definePolicy(input), valid: { maxDelay: Infinity }, keys: POLICY },
  'backoff: constant': inside('backoff', { type: 'constant', base: 1 }, ['base']),
  'backoff: exponential': inside('backoff', { type: 'exponential', base: 1 }, ['base', 'factor', 'offset']),
  'backoff: polynomial': inside('backoff', { type: 'polynomial', base: 1, exponent: 2 }, [
    'exponent',
    'from',
  ]),
  jitter: inside('jitter', { plus: 1 }, ['plus', 'minus', 'increment']),
  retryAfter: inside('retryAfter', {}, ['max']),
  ratio: {
    read: (input) => defineBudget(input as never),
    valid: { type: 'ratio' },
    keys: ['window', 'ratio'],
  },
  defineCircuitBreaker: {
    read: (input) => defineCircuitBreaker(input),
    valid: {},
    keys: ['failureRatio', 'minimumThroughput', 'samplingDuration', 'breakDuration'],
  },
  defineTask: {
    read: (input) => defineTask(input as never),
    valid: { name: 'any', run },
    keys: ['heartbeat', 'shutdownTimeout', 'abandonAfter', 'minRequeueDelay', 'maxStalls', 'retryShare'],
  },
  globalRateLimit: {
    read: (globalRateLimit) => defineTask({ name: 'any', run, globalRateLimit } as never),
    valid: { limit: 1, window: '1m' },
    keys: ['window'],
  },
  createWorker: {
    read: (input) => createWorker(input as never),
    valid: { broker, tasks: [task] },
    keys: ['lease', 'settleWithin', 'pollInterval', 'cleanerInterval', 'maxBlock', 'shutdownTimeout'],
  },
  schedule: {
    read: (input) => readScheduleOptions('a', input),
    valid: { task, every: '1h' },
    keys: ['every'],
  },
  drain: { read: readDrainOptions, valid: {}, keys: ['maxRuns', 'maxMs'] },
};

/** The reader of an object inside a policy. */
function inside(key: string, valid: object, keys: readonly string[]): Reader {
  return { read: (inner) => definePolicy({ [key]: inner }), valid, keys };
}

describe('the cure of a wrong value', () => {
  it.each(Object.entries(READERS))('is accepted where it states one: %s', (_, { read, valid, keys }) => {
    read(valid);
    fc.assert(
      fc.property(fc.constantFrom(...keys), wrongValues(), (key, value) => {
        for (const { cure } of problemsOf(() => read({ ...valid, [key]: value })))
          for (const [target, stated] of proposalsIn(cure, key))
            expect(problemsOf(() => read({ ...valid, [target]: stated }))).toEqual([]);
      }),
    );
  });
});

/** Keys and values of a cure: `Write '2s'.`, `text like '500ms', '2s'`, `Use maxAttempts: 4.`, `Use backoff: { type: 'none' }.` */
function proposalsIn(cure: string, key: string): readonly (readonly [key: string, value: unknown])[] {
  const durations = /^Write|text like/.test(cure) ? [...cure.matchAll(/'([\d.]+(?:ms|[smhd]))'/g)] : [];
  const [, target = '', code = ''] =
    /^Use (\w+): ((?:[\d.,e+-]|\[|\{|Infinity|NaN).*?)\.?(,? (?:for|or) .*)?$/.exec(cure) ?? [];
  const isWhole = code !== '' && !/…|=>/.test(code);
  return [
    ...durations.map(([, text]) => [key, text] as const),
    ...(isWhole ? [[target, runInNewContext(`(${code})`)] as const] : []),
  ];
}

function problemsOf(read: () => unknown) {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.problems;
    throw error;
  }
}

/** Durations in every spelling, numbers of every size, and what is neither. */
function wrongValues(): fc.Arbitrary<unknown> {
  const count = fc.oneof(fc.nat(), fc.nat(2_000), fc.constantFrom('0', '0.02', '0.5', '1.5', '99999999999'));
  const unit = fc.constantFrom(
    '',
    ' ',
    'ms',
    ' ms',
    ' millis',
    ' s',
    ' seconds',
    'sec',
    ' Minutes',
    'H',
    ' days',
    'w',
  );
  return fc.oneof(
    fc.tuple(count, unit).map((parts) => parts.join('')),
    fc.double(),
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(Infinity, 'Infinity', 'soon', '', true, null, /x/, {}, [], Symbol('s'), 2.5),
  );
}
