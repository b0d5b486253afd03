import {
  AttemptTimeoutError,
  definePolicy,
  extendPolicy,
  type PolicyInput,
  TotalTimeoutError,
} from '@retry/core';
import { network } from '@retry/core/errors';
import {
  type AttemptContext,
  type GiveUpEvent,
  type RetryOptions,
  retry,
  retryInfo,
  withRetry,
} from '@retry/inprocess';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { alwaysFailing, detailsOf, rejectionOf } from './failing.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

const NEVER = new Promise<never>(() => {});
const TIMED = { maxAttempts: 3, backoff: { type: 'none' }, attemptTimeout: 100 } as const;

let clock: FakeClock;

beforeEach(() => {
  clock = createFakeClock();
});

async function attemptsUnder(
  policy: PolicyInput,
  options: RetryOptions = {},
): Promise<readonly [number, unknown]> {
  const fn = vi.fn(() => NEVER);
  const result = rejectionOf(retry(fn, policy, { clock, ...options }));
  await clock.advance(10_000);
  return [fn.mock.calls.length, await result];
}

describe('an attempt timeout', () => {
  it.each<[string, PolicyInput['retryOn'] & object]>([
    ['of the README', [...network, { status: [429, 503] }]],
    ['of one class', [RangeError]],
  ])('is expected by the rules %s, which do not name it', async (_name, retryOn) => {
    expect(await attemptsUnder({ ...TIMED, retryOn })).toEqual([3, expect.any(AttemptTimeoutError)]);
  });

  it("is expected under retryOn: 'nothing', too", async () => {
    expect((await attemptsUnder({ ...TIMED, retryOn: 'nothing' }))[0]).toBe(3);
  });

  it.each<PolicyInput>([
    { retryTimeouts: false, retryOn: [RangeError] },
    { retryTimeouts: false, retryOn: 'nothing' },
    { stopOn: [AttemptTimeoutError] },
    { stopOn: [{ code: 'ATTEMPT_TIMEOUT' }] },
    { retryIf: () => false },
  ])('is final under %o', async (rules) => {
    expect(await attemptsUnder({ ...TIMED, ...rules })).toEqual([1, expect.any(AttemptTimeoutError)]);
  });

  it('is matched like any error under retryTimeouts: false', async () => {
    const retryOn = [{ code: 'ATTEMPT_TIMEOUT' }];

    expect((await attemptsUnder({ ...TIMED, retryTimeouts: false, retryOn }))[0]).toBe(3);
    expect((await attemptsUnder({ ...TIMED, retryTimeouts: false }))[0]).toBe(3);
  });

  it('of another call is an error like any other', async () => {
    const fn = vi.fn(() => Promise.reject(new AttemptTimeoutError(5, 1)));

    const result = rejectionOf(retry(fn, { ...TIMED, retryOn: [RangeError] }, { clock }));
    await clock.advance(0);
    await result;

    expect(fn).toHaveBeenCalledTimes(1);
  });
});

describe('an attempt that the total timeout cuts', () => {
  it.each<[string, PolicyInput]>([
    ['under a longer attempt timeout', { ...TIMED, attemptTimeout: 5_000, totalTimeout: 250 }],
    ['under an attempt timeout that is as long', { ...TIMED, attemptTimeout: 250, totalTimeout: 250 }],
    ['under none', { maxAttempts: 3, totalTimeout: 250 }],
    ['of a policy that retries nothing', { maxAttempts: 3, totalTimeout: 250, retryOn: 'nothing' }],
    ['of a policy that is not retryable', { maxAttempts: 3, totalTimeout: 250, retryable: false }],
    ['of a policy that stops on it', { maxAttempts: 3, totalTimeout: 250, stopOn: [TotalTimeoutError] }],
    ['that is the last', { maxAttempts: 1, totalTimeout: 250 }],
  ])('%s fails with a TotalTimeoutError and the reason total-timeout', async (_name, policy) => {
    const onGiveUp = vi.fn<(event: GiveUpEvent) => void>();

    const [attempts, error] = await attemptsUnder(policy, { onGiveUp: onGiveUp });

    expect(error).toBeInstanceOf(TotalTimeoutError);
    expect(error).toMatchObject({
      code: 'TOTAL_TIMEOUT',
      timeoutMs: 250,
      message: expect.stringContaining('250 ms'),
    });
    expect(attempts).toBe(1);
    expect(retryInfo(error)?.reason).toBe('total-timeout');
    expect(detailsOf(onGiveUp)).toEqual([[{ attempt: 1, error, reason: 'total-timeout' }]]);
  });

  it('has its own error after others were cut by their attempt timeout', async () => {
    const signals: AbortSignal[] = [];
    const fn = ({ signal }: AttemptContext): Promise<never> => {
      signals.push(signal);
      return NEVER;
    };

    const result = rejectionOf(retry(fn, { ...TIMED, totalTimeout: 250 }, { clock }));
    await clock.advance(250);

    expect(await result).toMatchObject({ code: 'TOTAL_TIMEOUT', timeoutMs: 250 });
    expect(signals.map(({ reason }) => reason.code)).toEqual([
      'ATTEMPT_TIMEOUT',
      'ATTEMPT_TIMEOUT',
      'TOTAL_TIMEOUT',
    ]);
  });
});

describe('a gate', () => {
  it('receives how long the call has taken, and how long the attempt took', async () => {
    const retryIf = vi.fn(() => true);
    const policy = {
      maxAttempts: 3,
      backoff: { type: 'constant', base: 50 },
      jitter: 'none',
      retryIf,
    } as const;
    const slow = (): Promise<never> =>
      new Promise((_resolve, reject) => void clock.setTimer(() => reject('boom'), 30));

    const result = rejectionOf(withRetry(slow, policy, { clock })());
    await clock.advance(1_000);
    await result;

    expect(retryIf.mock.calls).toEqual([
      ['boom', { attempt: 1, failures: 1, now: 1_000_030, elapsedMs: 30, attemptMs: 30 }],
      ['boom', { attempt: 2, failures: 2, now: 1_000_110, elapsedMs: 110, attemptMs: 30 }],
    ]);
  });
});

describe('a strategy', () => {
  it('receives now, how long the call has taken, and how long the attempt took', async () => {
    const seen: unknown[] = [];
    const strategy = (
      _retry: number,
      { now, elapsedMs, attemptMs }: { now?: number; elapsedMs?: number; attemptMs?: number | undefined },
    ): number => {
      seen.push({ now, elapsedMs, attemptMs });
      return 50;
    };
    const policy = { maxAttempts: 3, backoff: { type: 'custom', strategy }, jitter: 'none' } as const;
    const slow = (): Promise<never> =>
      new Promise((_resolve, reject) => void clock.setTimer(() => reject('boom'), 30));

    const result = rejectionOf(retry(slow, policy, { clock }));
    await clock.advance(1_000);
    await result;

    expect(seen).toEqual([
      { now: 1_000_030, elapsedMs: 30, attemptMs: 30 },
      { now: 1_000_110, elapsedMs: 110, attemptMs: 30 },
    ]);
  });

  it("ends the retrying by stop, with the attempt's own error", async () => {
    const strategy = (_retry: number, { elapsedMs = 0 }): number | 'stop' => (elapsedMs >= 100 ? 'stop' : 50);
    const policy = { maxAttempts: Infinity, backoff: { type: 'custom', strategy }, jitter: 'none' } as const;
    const onGiveUp = vi.fn();

    const result = rejectionOf(retry(() => Promise.reject('boom'), policy, { clock, onGiveUp }));
    await clock.advance(1_000);

    expect(await result).toBe('boom');
    expect(onGiveUp).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ attempt: 3, reason: 'stopped', elapsedMs: 100 }),
    );
    expect(onGiveUp.mock.calls[0]?.[0]).not.toHaveProperty('thrown');
  });

  it('that create() makes belongs to one call, and keeps its state', async () => {
    const create = vi.fn(() => {
      let asked = 0;
      return () => {
        asked += 1;
        return asked * 10;
      };
    });
    const policy = {
      maxAttempts: 4,
      backoff: { type: 'custom', strategy: { create } },
      jitter: 'none',
    } as const;
    const load = withRetry(alwaysFailing(), policy, { clock });

    const calls = [rejectionOf(load()), rejectionOf(load())];
    await clock.advance(1_000);
    await Promise.all(calls);

    expect(create).toHaveBeenCalledTimes(2);
    expect(clock.delays).toEqual([10, 10, 20, 20, 30, 30]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no strategy');
      },
    ],
    ['makes none', () => 5],
  ])('whose factory %s stops its call, which keeps its own error', async (_name, create) => {
    const policy = { backoff: { type: 'custom', strategy: { create } } } as object;
    const reportError = vi.fn();

    const thrown = await rejectionOf(retry(alwaysFailing(new Error('own')), policy, { clock, reportError }));

    expect(thrown).toEqual(new Error('own'));
    expect(retryInfo(thrown)).toMatchObject({ reason: 'stopped', thrown: expect.any(Error) });
    expect(reportError.mock.calls).toEqual([[retryInfo(thrown)?.thrown]]);
  });

  it('that create() makes is kept by extendPolicy', async () => {
    const create = vi.fn(() => () => 10);
    const base = definePolicy({
      maxAttempts: 2,
      backoff: { type: 'custom', strategy: { create } },
      jitter: 'none',
    });

    const result = rejectionOf(retry(alwaysFailing(), extendPolicy(base, { maxAttempts: 4 }), { clock }));
    await clock.advance(1_000);
    await result;

    expect(create).toHaveBeenCalledTimes(1);
    expect(clock.delays).toEqual([10, 10, 10]);
  });
});
