import type { PolicyInput } from '@retry/core';
import { definePolicy, isSerializable, NonRetryableError, RetryAfterError } from '@retry/core';
import { network } from '@retry/core/errors';
import type { Attempt, Scene } from './scene.ts';
import { hang } from './scene.ts';

/** An answer of a server that is too busy. */
function busy(headers: Record<string, string>): Error {
  return Object.assign(new Error('busy'), { name: 'BusyError', status: 503, headers });
}

/** The server did not accept the connection: nothing was applied. */
function refused(): Error {
  return Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
}

/** The connection was lost: what was sent may have been applied. */
function lost(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
}

const fail =
  (error: unknown = new Error('no')) =>
  (): never => {
    throw error;
  };

const failUntil =
  (last: number, error: unknown = new Error('no')) =>
  ({ attempt }: Attempt): string => {
    if (attempt < last) throw error;
    return 'done';
  };

const STEADY = { backoff: { type: 'constant', base: 20 }, jitter: 'none' } as const satisfies PolicyInput;

/** Durations are short, as servers play them in real time, and far apart where time decides. */
export const SCENES: readonly Scene[] = [
  {
    name: 'immediate success',
    policy: STEADY,
    act: () => 'done',
    expected: { attempts: 1, delays: [], end: 'completed' },
  },
  {
    name: 'success after two failures',
    policy: { ...STEADY, maxAttempts: 5 },
    act: failUntil(3),
    expected: { attempts: 3, delays: [20, 20], end: 'completed' },
  },
  {
    name: 'maxAttempts',
    policy: { ...STEADY, maxAttempts: 4 },
    act: fail(new RangeError('no')),
    expected: { attempts: 4, delays: [20, 20, 20], end: 'exhausted', error: 'RangeError' },
  },
  {
    name: 'maxAttempts: 1',
    policy: { ...STEADY, maxAttempts: 1 },
    act: fail(),
    expected: { attempts: 1, delays: [], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'initialDelay',
    policy: { ...STEADY, initialDelay: 60 },
    act: () => 'done',
    expected: { attempts: 1, delays: [], end: 'completed' },
  },
  {
    name: 'backoff: exponential',
    policy: { backoff: { type: 'exponential', base: 10, factor: 3 }, jitter: 'none', maxAttempts: 4 },
    act: fail(),
    expected: { attempts: 4, delays: [10, 30, 90], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'backoff: linear',
    policy: { backoff: { type: 'linear', base: 10, increment: 5 }, jitter: 'none', maxAttempts: 4 },
    act: fail(),
    expected: { attempts: 4, delays: [10, 15, 20], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'backoff: fibonacci',
    policy: { backoff: { type: 'fibonacci', base: 10 }, jitter: 'none', maxAttempts: 5 },
    act: fail(),
    expected: { attempts: 5, delays: [10, 10, 20, 30], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'backoff: list',
    policy: { backoff: { type: 'list', delays: [30, 0, 10] }, jitter: 'none', maxAttempts: 5 },
    act: fail(),
    expected: { attempts: 5, delays: [30, 0, 10, 10], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'backoff: none',
    policy: { backoff: { type: 'none' }, maxAttempts: 3 },
    act: fail(),
    expected: { attempts: 3, delays: [0, 0], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'backoff: decorrelated, which grows from the delay before',
    policy: { backoff: { type: 'decorrelated', base: 20 }, maxDelay: 200, maxAttempts: 4 },
    act: fail(),
    // A quarter of the way from 20 to three times the delay before.
    expected: { attempts: 4, delays: [30, 37.5, 43.125], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'backoff: custom, which sees the error',
    policy: {
      backoff: {
        type: 'custom',
        strategy: (retry, { error }) => (error instanceof RangeError ? retry * 15 : 1),
      },
      jitter: 'none',
    },
    act: fail(new RangeError('no')),
    expected: { attempts: 3, delays: [15, 30], end: 'exhausted', error: 'RangeError' },
  },
  {
    name: 'backoff: custom, which knows how long the attempt took',
    policy: {
      backoff: { type: 'custom', strategy: (_retry, { attemptMs = 0 }) => (attemptMs >= 59 ? 25 : 1) },
      jitter: 'none',
      attemptTimeout: 60,
      maxAttempts: 2,
    },
    act: hang,
    expected: { attempts: 2, delays: [25], end: 'exhausted', error: 'AttemptTimeoutError' },
  },
  {
    name: 'backoff: custom, which stops by what it knows about its run',
    policy: {
      backoff: { type: 'custom', strategy: (_retry, { failures = 0 }) => (failures > 2 ? 'stop' : 10) },
      jitter: 'none',
      maxAttempts: 9,
    },
    act: fail(),
    expected: { attempts: 3, delays: [10, 10], end: 'stopped', error: 'Error' },
  },
  {
    name: 'a gate that knows how long its run has taken',
    policy: {
      ...STEADY,
      // Each attempt takes 250 ms or more: time that counted from the start of the latest one would be too little after the second.
      retryIf: (_error, { failures = 0, elapsedMs = 0 }) => failures < 3 && elapsedMs >= failures * 245,
      attemptTimeout: 250,
      maxAttempts: 9,
    },
    act: hang,
    expected: { attempts: 3, delays: [20, 20], end: 'stopped', error: 'AttemptTimeoutError' },
  },
  {
    name: 'a strategy that throws',
    policy: {
      backoff: {
        type: 'custom',
        strategy: () => {
          throw new RangeError('of the strategy');
        },
      },
    },
    act: fail(new TypeError('of the attempt')),
    expected: { attempts: 1, delays: [], end: 'stopped', error: 'TypeError', reported: ['RangeError'] },
  },
  {
    name: 'delays, those of the first entry that matches the error',
    policy: {
      ...STEADY,
      maxAttempts: 4,
      delays: [
        { on: [{ code: 'ECONNRESET' }], backoff: { type: 'list', delays: [5, 60] } },
        { on: [Error], backoff: STEADY.backoff, jitter: 'full' },
      ],
    },
    act: ({ attempt }) => fail(attempt === 3 ? new RangeError('no') : lost())(),
    expected: { attempts: 4, delays: [5, 60, 5], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'immediateFirst, from which the backoff does not count',
    policy: {
      backoff: { type: 'exponential', base: 10, factor: 3 },
      jitter: 'none',
      immediateFirst: true,
      maxAttempts: 4,
    },
    act: fail(),
    expected: { attempts: 4, delays: [0, 10, 30], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'jitter: full',
    policy: { ...STEADY, jitter: 'full' },
    act: fail(),
    expected: { attempts: 3, delays: [5, 5], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'jitter: equal',
    policy: { ...STEADY, jitter: 'equal' },
    act: fail(),
    expected: { attempts: 3, delays: [12.5, 12.5], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'minDelay',
    policy: { ...STEADY, minDelay: 12, jitter: 'full' },
    act: fail(),
    // A quarter of the way from the floor to the amount.
    expected: { attempts: 3, delays: [14, 14], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'maxDelay',
    policy: { backoff: { type: 'exponential', base: 10, factor: 10 }, jitter: 'none', maxDelay: 25 },
    act: fail(),
    expected: { attempts: 3, delays: [10, 25], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'capAt',
    policy: {
      ...STEADY,
      jitter: 'equal',
      maxDelay: 20,
      capAt: 'after-jitter',
      backoff: { type: 'constant', base: 80 },
    },
    act: fail(),
    expected: { attempts: 3, delays: [20, 20], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'granularity',
    policy: { ...STEADY, jitter: 'equal', granularity: 10, backoff: { type: 'constant', base: 40 } },
    act: fail(),
    expected: { attempts: 3, delays: [20, 20], end: 'exhausted', error: 'Error' },
  },
  {
    name: 'retryOn, which lists the error',
    policy: { ...STEADY, retryOn: [{ code: 'ECONNRESET' }] },
    act: failUntil(2, Object.assign(new Error('reset'), { code: 'ECONNRESET' })),
    expected: { attempts: 2, delays: [20], end: 'completed' },
  },
  {
    name: 'retryOn, which lists others',
    policy: { ...STEADY, retryOn: [TypeError] },
    act: fail(new RangeError('no')),
    expected: { attempts: 1, delays: [], end: 'unexpected', error: 'RangeError' },
  },
  {
    name: 'idempotent: false, under which what may have been applied is not expected',
    policy: { ...STEADY, idempotent: false, retryOn: network },
    act: ({ attempt }) => fail(attempt === 1 ? refused() : lost())(),
    expected: { attempts: 2, delays: [20], end: 'unexpected', error: 'Error' },
  },
  {
    name: 'stopOn, which beats retryOn',
    policy: { ...STEADY, retryOn: [Error], stopOn: [{ name: 'RangeError' }] },
    act: fail(new RangeError('no')),
    expected: { attempts: 1, delays: [], end: 'stopped', error: 'RangeError' },
  },
  {
    name: 'an error that forbids retries',
    policy: STEADY,
    act: fail(new NonRetryableError('no')),
    expected: { attempts: 1, delays: [], end: 'stopped', error: 'NonRetryableError' },
  },
  {
    name: 'retryIf',
    policy: { ...STEADY, maxAttempts: 9, retryIf: (_error, { attempt }) => attempt < 3 },
    act: fail(),
    expected: { attempts: 3, delays: [20, 20], end: 'stopped', error: 'Error' },
  },
  {
    name: 'a gate that throws',
    policy: {
      ...STEADY,
      retryIf: () => {
        throw new RangeError('of the gate');
      },
    },
    act: fail(new TypeError('of the attempt')),
    expected: { attempts: 1, delays: [], end: 'stopped', error: 'TypeError', reported: ['RangeError'] },
  },
  {
    name: 'attemptTimeout, expected whatever retryOn lists',
    policy: { ...STEADY, maxAttempts: 2, attemptTimeout: 60, retryOn: [TypeError] },
    act: hang,
    expected: { attempts: 2, delays: [20], end: 'exhausted', error: 'AttemptTimeoutError' },
  },
  {
    name: 'attemptTimeout, which stopOn names',
    policy: { ...STEADY, attemptTimeout: 60, stopOn: [{ code: 'ATTEMPT_TIMEOUT' }] },
    act: hang,
    expected: { attempts: 1, delays: [], end: 'stopped', error: 'AttemptTimeoutError' },
  },
  {
    name: 'retryTimeouts: false, under which a timeout is matched like any error',
    policy: { ...STEADY, attemptTimeout: 60, retryTimeouts: false, retryOn: [TypeError] },
    act: hang,
    expected: { attempts: 1, delays: [], end: 'unexpected', error: 'AttemptTimeoutError' },
  },
  {
    name: 'deadline, before which no other attempt could start',
    policy: {
      ...STEADY,
      maxAttempts: 9,
      totalTimeout: 2_000,
      backoff: { type: 'list', delays: [20, 3_000] },
    },
    act: fail(),
    expected: { attempts: 2, delays: [20], end: 'total-timeout', error: 'Error' },
  },
  {
    name: 'deadline, which cuts an attempt',
    policy: { ...STEADY, totalTimeout: 2_000, attemptTimeout: 10_000 },
    act: ({ attempt, signal }) => (attempt === 1 ? fail()() : hang({ attempt, signal })),
    expected: { attempts: 2, delays: [20], end: 'total-timeout', error: 'TotalTimeoutError' },
  },
  {
    name: 'retryAfter: floor',
    policy: { ...STEADY, retryAfter: { max: 100, jitter: 'none' } },
    act: failUntil(3, busy({ 'retry-after-ms': '50' })),
    expected: { attempts: 3, delays: [50, 50], end: 'completed' },
  },
  {
    name: 'retryAfter: ignore',
    policy: { ...STEADY, retryAfter: { mode: 'ignore' } },
    act: failUntil(2, busy({ 'retry-after-ms': '50' })),
    expected: { attempts: 2, delays: [20], end: 'completed' },
  },
  {
    name: 'retryAfter: replace',
    policy: { ...STEADY, maxDelay: 40, retryAfter: { mode: 'replace', jitter: 'none' } },
    act: failUntil(2, new RetryAfterError(10)),
    expected: { attempts: 2, delays: [10], end: 'completed' },
  },
  {
    name: 'retryAfter.max, which a server exceeds',
    policy: { ...STEADY, retryAfter: { max: '1m' } },
    act: fail(busy({ 'retry-after': '3600' })),
    expected: { attempts: 1, delays: [], end: 'retry-after', error: 'BusyError' },
  },
  {
    name: 'a server that forbids retries',
    policy: STEADY,
    act: fail(busy({ 'x-should-retry': 'false' })),
    expected: { attempts: 1, delays: [], end: 'retry-after', error: 'BusyError' },
  },
  {
    name: 'retryable: false',
    policy: { ...STEADY, retryable: false },
    act: fail(),
    expected: { attempts: 1, delays: [], end: 'not-retryable', error: 'Error' },
  },
  {
    name: 'what is thrown is no error',
    policy: { ...STEADY, maxAttempts: 2 },
    act: fail('text'),
    expected: { attempts: 2, delays: [20], end: 'exhausted', error: 'text' },
  },
];

/** Those whose policy can be written as JSON. */
export const WRITTEN_SCENES: readonly Scene[] = SCENES.filter(({ policy }) =>
  isSerializable(definePolicy(policy)),
);
