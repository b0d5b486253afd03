import { mock } from 'node:test';
import { tryRetry } from '@retry/inprocess';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../packages/inprocess/src/time/clock.ts';

const LONGEST_TIMER_MS = 2_147_483_647;
const THIRTY_DAYS_MS = 2_592_000_000;

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('now', () => {
  it('is the time since the epoch', () => {
    const before = Date.now();

    const now = systemClock.now();

    expect(Math.abs(now - before)).toBeLessThan(1_000);
  });

  it('does not follow a wall clock that is set back', () => {
    const before = systemClock.now();
    vi.spyOn(Date, 'now').mockReturnValue(0);

    const after = systemClock.now();

    expect(after).toBeGreaterThanOrEqual(before);
  });
});

describe('the fake timers of test runners', () => {
  const hourly = { maxAttempts: 9, backoff: { type: 'constant', base: '1h' }, jitter: 'none' } as const;
  const failing = () => Promise.reject(new Error('down'));

  it.each<[string, () => void, (ms: number) => void, () => void]>([
    [
      'node:test',
      () => mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 }),
      (ms) => mock.timers.tick(ms),
      () => mock.timers.reset(),
    ],
    [
      'vitest, of timers and dates only',
      () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }),
      (ms) => void vi.advanceTimersByTime(ms),
      () => vi.useRealTimers(),
    ],
    [
      'vitest',
      () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }),
      (ms) => void vi.advanceTimersByTime(ms),
      () => vi.useRealTimers(),
    ],
  ])('move the time by which a total timeout is measured: %s', async (_name, enable, advance, reset) => {
    const warn = vi.spyOn(process, 'emitWarning').mockReturnValue(); // Node says once that timers of node:test are experimental
    enable();
    try {
      const ended = tryRetry(failing, { ...hourly, totalTimeout: '150m' });
      for (let hour = 0; hour < 9; hour += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        advance(3_600_000);
      }

      expect(await ended).toMatchObject({ reason: 'total-timeout', attempts: 3 });
      for (const [warning] of warn.mock.calls) expect(warning).toContain('MockTimers');
    } finally {
      reset();
      warn.mockRestore();
    }
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
  });
});

describe('setTimer', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  it('uses the current timers, not those at the time the module was loaded', () => {
    const callback = vi.fn();

    systemClock.setTimer(callback, 100);

    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(99);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['the longest that one timer holds', LONGEST_TIMER_MS],
    ['1 ms more', LONGEST_TIMER_MS + 1],
    ['30 days', THIRTY_DAYS_MS],
    ['a year', 31_536_000_000],
  ])('calls back once, on time, after %s', (_name, delayMs) => {
    const callback = vi.fn();

    systemClock.setTimer(callback, delayMs);

    vi.advanceTimersByTime(delayMs - 1);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(delayMs);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('never sets a timer longer than setTimeout supports', () => {
    const setTimeout = vi.spyOn(globalThis, 'setTimeout');

    systemClock.setTimer(() => {}, THIRTY_DAYS_MS);
    vi.advanceTimersByTime(THIRTY_DAYS_MS);

    expect(setTimeout.mock.calls.map(([, delayMs]) => delayMs)).toEqual([2_147_483_647, 444_516_353]);
  });

  it.each([
    ['its first part', 1],
    ['its last part', LONGEST_TIMER_MS + 1],
  ])('is cancelled in %s', (_name, elapsedMs) => {
    const callback = vi.fn();

    const cancel = systemClock.setTimer(callback, THIRTY_DAYS_MS);
    vi.advanceTimersByTime(elapsedMs);
    cancel();

    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(THIRTY_DAYS_MS);
    expect(callback).not.toHaveBeenCalled();
  });

  it('is never early, not even by a fraction of a millisecond', () => {
    const set = globalThis.setTimeout;
    vi.stubGlobal('setTimeout', (callback: () => void, delayMs: number) =>
      set(callback, Math.trunc(delayMs)),
    );
    const startedAt = performance.now();
    const firedAt: number[] = [];

    systemClock.setTimer(() => void firedAt.push(performance.now() - startedAt), 5.9);
    vi.advanceTimersByTime(7);

    expect(firedAt).toHaveLength(1);
    expect(firedAt[0]).toBeGreaterThanOrEqual(5.9);
  });

  it('can be cancelled twice, and after it fired', () => {
    const callback = vi.fn();

    const cancel = systemClock.setTimer(callback, 100);
    vi.advanceTimersByTime(100);
    cancel();
    cancel();

    expect(callback).toHaveBeenCalledTimes(1);
  });
});
