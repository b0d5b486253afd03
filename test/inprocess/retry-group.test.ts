import { setImmediate } from 'node:timers/promises';
import { InvalidOptionsError } from '@retry/core';
import { createRetryGroup, retry, retryInfo, tryRetry, withRetry } from '@retry/inprocess';
import fc from 'fast-check';
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

  it.each([
    ['aborted', 'before'],
    ['aborted', 'after'],
    ['drained twice', 'before'],
  ] as const)('ends a call in beforeRetry once, %s, another one %s it in the group', async (how, order) => {
    const group = createRetryGroup();
    const [onGiveUp, drained] = [vi.fn(), vi.fn()];
    const controller = new AbortController();
    const other = createFakeClock();
    const slow = () =>
      tryRetry(() => new Promise((resolve) => other.setTimer(() => resolve('done'), 500)), {}, { group });
    const others = order === 'before' ? [slow()] : [];
    const options = { group, signal: controller.signal, onGiveUp, beforeRetry: () => new Promise(() => {}) };
    const result = tryRetry(alwaysFailing('busy'), { backoff: { type: 'none' } }, options);
    await setImmediate();
    if (order === 'after') others.push(slow());

    if (how === 'aborted') controller.abort('stop');
    else void group.drain();
    void group.drain().then(drained);

    expect(await result).toMatchObject(
      how === 'aborted' ? { error: 'stop', reason: 'aborted' } : { error: 'busy', reason: 'group' },
    );
    await setImmediate();
    expect([group.active(), drained.mock.calls.length]).toEqual([1, 0]);
    await other.advance(500);
    await Promise.all(others);
    await setImmediate();
    expect([group.active(), drained.mock.calls.length]).toEqual([0, 1]);
    expect(onGiveUp).toHaveBeenCalledTimes(1);
  });

  it('lets nothing happen twice when onGiveUp drains the group', async () => {
    const group = createRetryGroup();
    const onGiveUp = vi.fn(() => void group.drain());
    const options = { group, onGiveUp, beforeRetry: () => new Promise(() => {}) };
    const result = tryRetry(alwaysFailing('busy'), { backoff: { type: 'none' } }, options);
    await setImmediate();

    await group.drain();

    expect(await result).toMatchObject({ error: 'busy', reason: 'group', attempts: 1 });
    expect([onGiveUp.mock.calls.length, group.active()]).toEqual([1, 0]);
  });

  it('keeps the place of a call while it yields to the event loop before its 17th attempt', async () => {
    const clock = createFakeClock();
    const group = createRetryGroup({ maxWaiting: 1 });
    let other: Promise<unknown> | undefined;
    const most: number[] = [];
    const look = (): void => void most.push(group.waiting().length);
    const fn = ({ attempt }: { attempt: number }): never => {
      if (attempt === 16) other = tryRetry(alwaysFailing('other'), EVERY_HOUR, { clock, group });
      throw new Error('busy');
    };

    await tryRetry(fn, { maxAttempts: 17, backoff: { type: 'none' } }, { group, beforeRetry: look });

    expect(await other).toMatchObject({ error: 'other', reason: 'group' });
    expect(new Set(most)).toEqual(new Set([1]));
  });

  it('never lets more calls wait than maxWaiting, whatever they wait for', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(
          fc.record({
            delayMs: fc.nat({ max: 2 }),
            attempts: fc.integer({ min: 1, max: 18 }),
            turns: fc.nat({ max: 2 }),
          }),
          {
            minLength: 2,
            maxLength: 8,
          },
        ),
        async (maxWaiting, calls) => {
          const group = createRetryGroup({ maxWaiting });
          const clock = createFakeClock();
          const longest: number[] = [];
          const look = (): void => void longest.push(group.waiting().length);
          const results = calls.map(({ delayMs, attempts, turns }) => {
            const policy = {
              maxAttempts: attempts,
              backoff: { type: 'constant', base: delayMs },
              jitter: 'none',
            } as const;
            const beforeRetry = async (): Promise<void> => {
              for (let turn = 0; turn < turns; turn += 1) {
                look();
                await setImmediate();
              }
            };
            const fn = async (): Promise<never> => {
              look();
              await undefined;
              look();
              throw new Error('busy');
            };
            return tryRetry(fn, policy, { group, clock, beforeRetry });
          });
          let isOver = false;
          const all = Promise.all(results).then(() => {
            isOver = true;
          });
          while (!isOver) {
            look();
            await clock.advance(1);
          }
          await all;

          expect(Math.max(...longest)).toBeLessThanOrEqual(maxWaiting);
          expect([group.waiting(), group.active()]).toEqual([[], 0]);
        },
      ),
    );
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
