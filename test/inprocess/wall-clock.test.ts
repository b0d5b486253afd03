import type { Clock } from '@retry/core';
import { createRetryGroup, retryInfo, tryRetry } from '@retry/inprocess';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { alwaysFailing, failing } from './failing.ts';
import type { FakeClock } from './fake-clock.ts';
import { createFakeClock } from './fake-clock.ts';

const HOUR_MS = 3_600_000;
const SECOND = { backoff: { type: 'constant', base: '1s' }, jitter: 'none' } as const;

/** A clock whose wall clock can be set. */
interface SetClock extends FakeClock {
  readonly set: (stepMs: number) => void;
}

function createSetClock(): SetClock {
  const clock = createFakeClock();
  let aheadMs = 0;
  const set = (stepMs: number): void => {
    aheadMs += stepMs;
  };
  return { ...clock, wallNow: () => clock.now() + aheadMs, set };
}

function wallNow(clock: Clock): number {
  return clock.wallNow?.() ?? Number.NaN;
}

/** An error of a server that says when it will answer again, in whole seconds. */
function unavailableUntil(at: number): Error {
  const headers = { 'retry-after': new Date(at).toUTCString() };
  return Object.assign(new Error('unavailable'), { headers });
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});

describe('the clock of the runtime', () => {
  it.each([HOUR_MS, -HOUR_MS])(
    'follows a wall clock that is set by %d ms, and durations do not',
    async (stepMs) => {
      const realNow = Date.now;
      let steppedMs = 0;
      vi.spyOn(Date, 'now').mockImplementation(() => realNow() + steppedMs);
      vi.resetModules();
      const { systemClock } = await import('../../packages/inprocess/src/time/clock.ts');
      const worker = await import('../../packages/worker/src/clock.ts');

      for (const clock of [systemClock, worker.systemClock]) {
        steppedMs = 0;
        const before = clock.now();
        steppedMs = stepMs;

        expect(Math.abs(clock.now() - before)).toBeLessThan(60_000);
        expect(Math.abs(wallNow(clock) - realNow() - stepMs)).toBeLessThan(60_000);
      }
    },
  );
});

describe('a wall clock that is set', () => {
  it('changes how long the date of a server is waited for, whenever it was set', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: -1e9, max: 1e9 }),
        fc.integer({ min: 5, max: 50 }),
        async (stepMs, seconds) => {
          const clock = createSetClock();
          clock.set(stepMs * 1_000);
          const error = unavailableUntil(wallNow(clock) + seconds * 1_000);

          const ended = tryRetry(failing(error), SECOND, { clock, random: () => 0 });
          await clock.advance(HOUR_MS);

          expect(await ended).toMatchObject({ ok: true, history: [{ delayMs: seconds * 1_000 }] });
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each([10 * HOUR_MS, -10 * HOUR_MS])(
    'by %d ms neither shortens nor prolongs a total timeout',
    async (stepMs) => {
      const clock = createSetClock();
      const startedAt = clock.now();

      const ended = tryRetry(
        alwaysFailing(),
        { ...SECOND, maxAttempts: 100, totalTimeout: '9500ms' },
        { clock },
      );
      await clock.advance(4_500);
      clock.set(stepMs);
      await clock.advance(60_000);

      const result = await ended;
      expect(result).toMatchObject({ reason: 'total-timeout', attempts: 10 });
      expect(startedAt).toBe(1_000_000);
    },
  );

  it('is what instants are given by', async () => {
    const clock = createSetClock();
    const group = createRetryGroup();
    const error = new Error('down');

    const ended = tryRetry(alwaysFailing(error), { ...SECOND, maxAttempts: 2 }, { clock, group });
    await clock.advance(0);
    clock.set(HOUR_MS);
    const [waiting] = group.waiting();
    await clock.advance(1_000);
    await ended;

    expect(waiting?.retryAt).toBe(1_000_000 + HOUR_MS + 1_000);
    expect(retryInfo(error)?.history?.map(({ failedAt }) => failedAt)).toEqual([
      1_000_000,
      1_001_000 + HOUR_MS,
    ]);
  });
});
