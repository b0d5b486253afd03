import type { Clock } from '@retry/core';
import { guardClock } from '@retry/core/clock';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const fail = (): never => {
  throw new Error('broken clock');
};

/** What a clock returns for a timer: how to cancel it, or something else. */
const CANCELS = fc.constantFrom<unknown>(
  () => undefined,
  fail,
  undefined,
  null,
  5,
  'no',
  {},
  Promise.resolve(),
);

/** One timer of an odd clock: it may refuse to be set, and calls back as often as it likes, whenever it likes. */
const TIMERS = fc.record({
  throws: fc.boolean(),
  callsAtOnce: fc.nat({ max: 2 }),
  callsBeforeCancel: fc.nat({ max: 2 }),
  callsAfterCancel: fc.nat({ max: 2 }),
  cancel: CANCELS,
  isCancelled: fc.boolean(),
});

describe('guardClock', () => {
  it('calls back once at most, and never after the timer was cancelled; nothing of it throws', () => {
    fc.assert(
      fc.property(TIMERS, (timer) => {
        const reported: unknown[] = [];
        const fires: (() => void)[] = [];
        const set = (callback: () => void): void => {
          fires.push(callback);
          for (let count = 0; count < timer.callsAtOnce; count += 1) callback();
        };
        const setGood = (callback: () => void): (() => void) => {
          set(callback);
          return () => undefined;
        };
        const odd: Clock = {
          now: fail,
          setTimer: (callback) => {
            if (timer.throws) fail();
            set(callback);
            return timer.cancel as () => void; // anything but that
          },
        };
        const fallback: Clock = { now: () => 5, setTimer: setGood };
        const clock = guardClock(odd, { fallback, report: (error) => reported.push(error) });
        let called = 0;
        const fireTimes = (times: number): void => {
          for (let count = 0; count < times; count += 1) for (const fire of fires) fire();
        };

        const cancel = clock.setTimer(() => {
          called += 1;
        }, 5);
        fireTimes(timer.callsBeforeCancel);
        const before = called;
        if (timer.isCancelled) cancel();
        cancel();
        fireTimes(timer.callsAfterCancel);

        expect(before).toBe(Math.min(timer.callsAtOnce + timer.callsBeforeCancel, 1));
        expect(called).toBe(before);
        expect(clock.now()).toBe(5);
        const isOdd =
          timer.throws || typeof timer.cancel !== 'function' || (timer.cancel === fail && before === 0);
        expect(reported.length > 1).toBe(isOdd);
      }),
    );
  });
});

describe('guardClock of a wall clock', () => {
  it.each([fail, () => Number.NaN, () => 'no' as never])(
    'that gives no instant is the time of the same clock',
    (wallNow) => {
      const fallback: Clock = { now: () => 5, setTimer: () => () => undefined };
      const clock = guardClock({ ...fallback, now: () => 7_000, wallNow }, { fallback, report: () => {} });

      expect(clock.wallNow?.()).toBe(7_000);
    },
  );

  it('stands still while it gives no instant any more', () => {
    const instants = [9_000, Number.NaN];
    const base: Clock = { now: () => 5, setTimer: () => () => undefined };
    const odd = { ...base, wallNow: () => instants.shift() ?? Number.NaN };
    const clock = guardClock(odd, { fallback: base, report: () => {} });

    expect([clock.wallNow?.(), clock.wallNow?.()]).toEqual([9_000, 9_000]);
  });
});
