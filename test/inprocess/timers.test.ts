import { AttemptTimeoutError } from '@retry/core';
import { retry } from '@retry/inprocess';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { failing, rejectionOf } from './failing.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

const NEVER = new Promise<never>(() => {});
const AT_ONCE = { maxAttempts: 50, backoff: { type: 'none' } } as const;
const EVERY_100_MS = { maxAttempts: 50, backoff: { type: 'constant', base: 100 }, jitter: 'none' } as const;

let clock: FakeClock;

beforeEach(() => {
  clock = createFakeClock();
});

/** Fails this many times, each time after 10 ms. */
function slowlyFailing(times: number): () => Promise<string> {
  let calls = 0;
  return async () => {
    await new Promise<void>((resolve) => void clock.setTimer(resolve, 10));
    calls += 1;
    if (calls <= times) throw new Error('boom');
    return 'done';
  };
}

function countOf(delays: readonly number[], delayMs: number): number {
  return delays.filter((delay) => delay === delayMs).length;
}

describe('the timers of a call', () => {
  it.each([0, 1, 7, 40])(
    'are one for a total timeout, with %i failures before the success',
    async (times) => {
      const failures = Array.from({ length: times }, () => 'boom');

      await retry(failing(...failures), { ...AT_ONCE, totalTimeout: '1h' }, { clock });

      expect(clock.delays).toEqual([3_600_000]);
      expect(clock.pending()).toBe(0);
    },
  );

  it.each([{}, { totalTimeout: '1h' as const }])(
    'are one for an attempt timeout while no attempt nears it, with %o',
    async (limits) => {
      await retry(failing(1, 2, 3, 4), { ...AT_ONCE, ...limits, attemptTimeout: '1m' }, { clock });

      expect(clock.delays).toEqual([60_000]);
      expect(clock.pending()).toBe(0);
    },
  );

  it.each([{ attemptTimeout: '1m' as const }, { totalTimeout: '1m' as const }])(
    'are gone during a wait, with %o',
    async (limits) => {
      const result = retry(failing(1), { ...EVERY_100_MS, ...limits }, { clock });
      await clock.advance(50);

      expect(clock.pending()).toBe(1);
      await clock.advance(50);
      await result;
      expect(clock.delays).toEqual([60_000, 100, 'totalTimeout' in limits ? 59_900 : 60_000]);
      expect(clock.pending()).toBe(0);
    },
  );
});

describe('a timer that an earlier attempt has set', () => {
  it.each([0, 1, 2, 3, 4, 5])(
    'cuts attempt %i + 1 at its own timeout, not before and not after',
    async (times) => {
      const inTime = slowlyFailing(times);
      const fn = vi.fn(() => (fn.mock.calls.length <= times ? inTime() : NEVER));

      const result = rejectionOf(
        retry(fn, { ...AT_ONCE, maxAttempts: times + 1, attemptTimeout: 25 }, { clock }),
      );
      const settled = vi.fn();
      void result.then(settled);
      await clock.advance(times * 10 + 24);
      expect(settled).not.toHaveBeenCalled();
      await clock.advance(1);

      expect(await result).toBeInstanceOf(AttemptTimeoutError);
      expect(await result).toMatchObject({
        timeoutMs: 25,
        message: `attempt ${times + 1} took longer than 25 ms`,
      });
      expect(clock.pending()).toBe(0);
    },
  );

  it('is set once for each timeout that passes, however many attempts end in time', async () => {
    const result = retry(slowlyFailing(20), { ...AT_ONCE, attemptTimeout: 25 }, { clock });
    await clock.advance(1_000);

    expect(await result).toBe('done');
    expect(clock.delays.length - countOf(clock.delays, 10)).toBeLessThan(15);
  });

  it('lets the total timeout end the attempt that comes before the attempt timeout', async () => {
    const inTime = slowlyFailing(4);
    const fn = vi.fn(() => (fn.mock.calls.length <= 4 ? inTime() : NEVER));

    const result = rejectionOf(retry(fn, { ...AT_ONCE, attemptTimeout: 25, totalTimeout: 60 }, { clock }));
    await clock.advance(60);

    expect(await result).toMatchObject({ code: 'TOTAL_TIMEOUT', timeoutMs: 60 });
    expect(fn).toHaveBeenCalledTimes(5);
    expect(clock.now()).toBe(1_000_060);
    expect(clock.pending()).toBe(0);
  });
});

describe('ids', () => {
  it('do not tell those of other calls: each is a draw of its own', async () => {
    const ids: string[] = [];
    const onAttempt = ({ id }: { readonly id: string }): unknown => ids.push(id);
    for (let count = 0; count < 100; count += 1) await retry(failing(), AT_ONCE, { onAttempt });

    expect(new Set(ids.map((id) => id.slice(0, 18))).size).toBe(100);
  });

  it('are not drawn for a call that nobody watches', async () => {
    const draw = vi.spyOn(globalThis.crypto, 'randomUUID');

    const options = { signal: new AbortController().signal, clock };
    for (let count = 0; count < 100; count += 1) {
      await retry(failing('one'), { ...AT_ONCE, totalTimeout: '1h' }, options);
    }

    expect(draw).not.toHaveBeenCalled();
    draw.mockRestore();
  });
});
