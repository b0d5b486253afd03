import type { RuntimeGlobals } from '@retry/core/clock';
import { backgroundTimers, runtimeTimers } from '@retry/core/clock';
import { describe, expect, it, vi } from 'vitest';

const HOUR_MS = 3_600_000;

/** Globals of a runtime that began 5 ms ago, at an instant of the year 2026. */
function createGlobals() {
  const time = { wall: 1_800_000_000_000, sinceStart: 5 };
  const globals: { -readonly [Key in keyof RuntimeGlobals<object>]: RuntimeGlobals<object>[Key] } = {
    Date: { now: () => time.wall },
    performance: { now: () => time.sinceStart },
    setTimeout: (callback, delayMs) => ({ callback, delayMs, unref: vi.fn() }),
    clearTimeout: vi.fn(),
  };
  return { time, globals };
}

describe('runtimeTimers', () => {
  it('follows a wall clock that is set by `wallNow` only', () => {
    const { time, globals } = createGlobals();
    const { now, wallNow } = runtimeTimers(globals);

    time.wall -= HOUR_MS;
    time.sinceStart += 20;

    expect(now()).toBe(1_800_000_000_020);
    expect(wallNow?.()).toBe(1_800_000_000_000 - HOUR_MS);
  });

  it('takes the fake date for the time where timers are faked, too, and not after that', () => {
    const { time, globals } = createGlobals();
    const real = { ...globals };
    const { now, wallNow } = runtimeTimers(globals);

    globals.Date = { now: () => 7 };
    expect([now(), wallNow?.()]).toEqual([time.wall, time.wall]);

    globals.setTimeout = () => ({});
    expect([now(), wallNow?.()]).toEqual([7, 7]);

    Object.assign(globals, real);
    expect([now(), wallNow?.()]).toEqual([time.wall, time.wall]);
  });

  it('sets and clears timers by the globals of that moment', () => {
    const { globals } = createGlobals();
    const { set, clear } = runtimeTimers(globals);
    const timer = {};
    globals.setTimeout = vi.fn(() => timer);
    const callback = (): void => {};

    expect(set(callback, 30)).toBe(timer);
    clear(timer);

    expect(globals.setTimeout).toHaveBeenCalledWith(callback, 30);
    expect(globals.clearTimeout).toHaveBeenCalledWith(timer);
  });
});

describe('backgroundTimers', () => {
  it.each([
    ['a timer of Node', { unref: vi.fn() }],
    ['one of a browser', 12],
  ])('returns %s as it is, without a claim on the process', (_whose, timer) => {
    const timers = { now: () => 0, set: () => timer as { unref?: () => unknown }, clear: () => {} };

    expect(backgroundTimers(timers).set(() => {}, 1)).toBe(timer);

    if (typeof timer === 'object') expect(timer.unref).toHaveBeenCalledOnce();
  });
});
