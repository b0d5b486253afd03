import { InvalidOptionsError } from '@retry/core';
import { createRetryGroup, retry, retryInfo, tryRetry, withRetry } from '@retry/inprocess';
import { describe, expect, it, vi } from 'vitest';
import { alwaysFailing, failing, rejectionOf } from './failing.ts';
import { createFakeClock } from './fake-clock.ts';

const EVERY_HOUR = { maxAttempts: 3, backoff: { type: 'constant', base: '1h' }, jitter: 'none' } as const;

describe('createRetryGroup', () => {
  it('lists which calls wait, after which error and until when', async () => {
    const clock = createFakeClock();
    const group = createRetryGroup();
    async function load(): Promise<never> {
      throw new Error('busy');
    }

    void withRetry(load, EVERY_HOUR, { clock, group })().catch(() => undefined);
    await clock.advance(0);

    const waiting = { name: 'load', attempt: 1, error: new Error('busy'), retryAt: 4_600_000 };
    expect(group.waiting()).toMatchObject([waiting]);
    expect(group.active()).toBe(1);
    await clock.advance(7_200_000);
    expect([group.waiting(), group.active()]).toEqual([[], 0]);
  });

  it('lets at most maxWaiting calls wait; one more fails with its own error', async () => {
    const clock = createFakeClock();
    const group = createRetryGroup({ maxWaiting: 1 });
    const error = new Error('boom');

    void tryRetry(alwaysFailing(), EVERY_HOUR, { clock, group });
    const thrown = await rejectionOf(retry(alwaysFailing(error), EVERY_HOUR, { clock, group }));

    expect(thrown).toBe(error);
    expect(retryInfo(error)).toMatchObject({ attempts: 1, reason: 'group' });
  });

  it('drains: a waiting call ends immediately with its last error, and leaves no timer', async () => {
    const clock = createFakeClock();
    const group = createRetryGroup();

    const results = ['one', 'two'].map((error) =>
      tryRetry(alwaysFailing(error), EVERY_HOUR, { clock, group }),
    );
    await clock.advance(0);
    await group.drain();

    expect(await Promise.all(results)).toMatchObject([
      { error: 'one', reason: 'group', attempts: 1 },
      { error: 'two', reason: 'group', attempts: 1 },
    ]);
    expect([clock.pending(), group.active()]).toEqual([0, 0]);
  });

  it('drains: a running attempt may end, and is the last', async () => {
    const clock = createFakeClock();
    const group = createRetryGroup();
    const drained = vi.fn();
    const slow = () => new Promise((resolve) => clock.setTimer(() => resolve('done'), 500));

    const result = tryRetry(slow, EVERY_HOUR, { clock, group });
    const failed = tryRetry(failing('one'), EVERY_HOUR, { clock, group });
    void group.drain().then(drained);
    await clock.advance(499);
    expect(drained).not.toHaveBeenCalled();
    await clock.advance(1);

    expect(await result).toMatchObject({ ok: true, value: 'done' });
    expect(await failed).toMatchObject({ error: 'one', attempts: 1 });
    expect(drained).toHaveBeenCalledTimes(1);
  });

  it.each([-1, 0.5, Number.NaN])('throws an InvalidOptionsError for maxWaiting %d', (maxWaiting) => {
    expect(() => createRetryGroup({ maxWaiting })).toThrow(InvalidOptionsError);
  });
});
