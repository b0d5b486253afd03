import { setImmediate } from 'node:timers/promises';
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

  it.each([
    ['a wait for a retry', {}],
    ['an initial delay', { initialDelay: '1h' as const }],
  ])('counts %s: with no room, a call with an initial delay makes no attempt', async (_, delay) => {
    const clock = createFakeClock();
    const group = createRetryGroup({ maxWaiting: 1 });
    const fn = vi.fn();

    void tryRetry(alwaysFailing(), { ...EVERY_HOUR, ...delay }, { clock, group });
    await clock.advance(0);
    const refused = await tryRetry(fn, { initialDelay: 1 }, { clock, group });

    expect(refused).toMatchObject({ error: { code: 'GROUP_FULL' }, reason: 'group', attempts: 0 });
    expect(fn).not.toHaveBeenCalled();
    expect([group.waiting().length, group.active()]).toEqual([1, 1]);
  });

  it('makes no call wait for its first attempt while it drains', async () => {
    const clock = createFakeClock();
    const group = createRetryGroup();
    void tryRetry(() => new Promise(() => {}), EVERY_HOUR, { clock, group });
    void group.drain();

    const refused = await tryRetry(vi.fn(), { initialDelay: '1h' }, { clock, group });

    expect(refused).toMatchObject({ error: { code: 'SHUTDOWN' }, reason: 'group', attempts: 0 });
  });

  it('drains: a call in beforeRetry ends immediately with its last error, though that never settles', async () => {
    const group = createRetryGroup({ maxWaiting: 1 });
    const beforeRetry = () => new Promise(() => {});
    const policy = { maxAttempts: 2, backoff: { type: 'none' } } as const;

    const result = tryRetry(alwaysFailing('busy'), policy, { group, beforeRetry });
    await setImmediate();
    expect([group.waiting(), group.hasRoom]).toMatchObject([[{ attempt: 1, error: 'busy' }], false]);
    await group.drain();

    expect(await result).toMatchObject({ error: 'busy', reason: 'group', attempts: 1 });
    expect([group.waiting(), group.active()]).toEqual([[], 0]);
  });

  it('lists a call no longer that has left beforeRetry', async () => {
    const group = createRetryGroup();
    const policy = { maxAttempts: 2, backoff: { type: 'none' } } as const;

    await tryRetry(failing('busy'), policy, { group, beforeRetry: () => setImmediate() });

    expect(group.waiting()).toEqual([]);
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
