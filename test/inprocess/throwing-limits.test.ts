import {
  type CircuitBreaker,
  createCircuitBreaker,
  createRetryBudget,
  createRetryGroup,
  tryRetry,
} from '@retry/inprocess';
import { describe, expect, it, vi } from 'vitest';
import { alwaysFailing, failing } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

describe('a call with a circuit breaker and a budget', () => {
  it('counts a call once whose signal is aborted by a hook of its circuit breaker', async () => {
    const group = createRetryGroup();
    const onGiveUp = vi.fn();
    for (const abortAt of ['half-open', 'closed'] as const) {
      const clock = createFakeClock();
      const controller = new AbortController();
      const circuitBreaker = createCircuitBreaker({
        ...{ clock, minimumThroughput: 1, failureRatio: 0.1, breakDuration: 5 },
        onStateChange: ({ to }) => {
          if (to === abortAt) controller.abort('stop');
        },
      });
      await tryRetry(alwaysFailing(), { maxAttempts: 1 }, { circuitBreaker, clock });
      await clock.advance(10);
      const fn = vi.fn(() => 'done');

      const result = tryRetry(fn, {}, { circuitBreaker, clock, group, onGiveUp, signal: controller.signal });

      // What has succeeded stays so; what has not started does not start.
      expect(await result).toMatchObject(
        abortAt === 'closed'
          ? { ok: true, value: 'done' }
          : { error: 'stop', reason: 'aborted', attempts: 0 },
      );
      expect(group.active()).toBe(0);
      if (abortAt === 'closed') continue;
      expect(fn).not.toHaveBeenCalled();
      // The probe that it did not use is free.
      expect(await tryRetry(() => 'probe', {}, { circuitBreaker, clock })).toMatchObject({ ok: true });
    }
    expect(onGiveUp).toHaveBeenCalledTimes(1);
  });

  it.each(['record', 'spend', 'succeed', 'abandon'])(
    'reports a budget or breaker of the caller that throws in %s, and keeps outcome and places right',
    async (broken) => {
      const group = createRetryGroup({ maxWaiting: 1 });
      const reported = vi.fn();
      const fail = (name: string) => () => {
        if (name === broken) throw new Error('broken');
        return 0;
      };
      const budget = {
        ...createRetryBudget({ type: 'token-bucket' }),
        ...{ allowsRetry: () => true, spend: fail('spend') },
        // One that throws for a failure ends the retrying.
        record: ({ type }: { type: string }) => (type === 'failure' ? 0 : fail('record')()),
      };
      const permit = { succeed: fail('succeed'), abandon: fail('abandon'), fail: () => true };
      const circuitBreaker = { ...createCircuitBreaker(), permit: () => permit } as unknown as CircuitBreaker;
      const options = { group, budget, circuitBreaker, reportError: reported };
      const fn = vi.fn(failing('once'));

      const results = [
        await tryRetry(fn, { backoff: { type: 'none' } }, options),
        await tryRetry(alwaysFailing('mine'), { maxAttempts: 2, backoff: { type: 'none' } }, options),
      ];

      expect(results).toMatchObject([
        { ok: true, value: 'done' },
        { error: 'mine', attempts: 2 },
      ]);
      expect(fn).toHaveBeenCalledTimes(2);
      expect([group.active(), group.waiting()]).toEqual([0, []]);
      expect(new Set(reported.mock.calls.map(String))).toEqual(new Set(['Error: broken']));
    },
  );
});

describe('a call with a group', () => {
  it('gives back each place that it took once', async () => {
    const unpark = vi.fn();
    const enter = (): void => undefined;
    const group = {
      ...createRetryGroup(),
      hasRoom: true,
      isDraining: false,
      enter,
      leave: enter,
      park: () => unpark,
    };

    await tryRetry(failing('once'), { backoff: { type: 'none' } }, { group });
    expect(unpark).toHaveBeenCalledTimes(1);

    await tryRetry(alwaysFailing('mine'), { maxAttempts: 4, backoff: { type: 'none' } }, { group });
    expect(unpark).toHaveBeenCalledTimes(1 + 3);
  });

  it.each(['park', 'unpark', 'leave'])(
    'reports a group of the caller that throws in %s, and keeps the outcome right',
    async (broken) => {
      const reported = vi.fn();
      const fail = (name: string) => () => {
        if (name === broken) throw new Error('broken');
      };
      const group = {
        ...createRetryGroup(),
        ...{ hasRoom: true, isDraining: false, enter: () => undefined, leave: fail('leave') },
        park: () => {
          fail('park')();
          return fail('unpark');
        },
      };
      const options = { group, reportError: reported };
      const fn = vi.fn(failing('once'));

      const results = [
        await tryRetry(fn, { backoff: { type: 'none' } }, options),
        await tryRetry(alwaysFailing('mine'), { maxAttempts: 2, backoff: { type: 'none' } }, options),
      ];

      expect(results).toMatchObject([
        { ok: true, value: 'done', attempts: 2 },
        { error: 'mine', attempts: 2 },
      ]);
      expect(fn).toHaveBeenCalledTimes(2);
      expect(new Set(reported.mock.calls.map(String))).toEqual(new Set(['Error: broken']));
    },
  );
});
