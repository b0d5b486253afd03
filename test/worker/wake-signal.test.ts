import { createTestClock } from '@retry/worker/testing';
import { describe, expect, it } from 'vitest';
import { WakeSignal } from '../../packages/worker/src/engine/turns.ts';

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));

describe('WakeSignal', () => {
  it('ends the current wait', async () => {
    const wakeSignal = new WakeSignal();

    const waiting = wakeSignal.during(untilAborted);
    wakeSignal.notify();

    await waiting;
  });

  it('ends only the next wait, before it begins, when it was notified between two waits', async () => {
    const wakeSignal = new WakeSignal();
    let waits = 0;
    const wait = async (): Promise<void> => {
      waits += 1;
    };

    wakeSignal.notify();
    wakeSignal.notify();
    await wakeSignal.during(wait);
    expect(waits).toBe(0);
    await wakeSignal.during(wait);

    expect(waits).toBe(1);
  });

  it('sleeps until it is notified or the time is over, and leaves no timer behind', async () => {
    const wakeSignal = new WakeSignal();
    const clock = createTestClock();
    const timers = { set: 0, cancelled: 0 };
    const watched = {
      now: clock.now,
      setTimer: (callback: () => void, delayMs: number) => {
        timers.set += 1;
        const cancel = clock.setTimer(callback, delayMs);
        return () => {
          timers.cancelled += 1;
          cancel();
        };
      },
    };

    const notified = wakeSignal.sleep(watched, 1_000);
    wakeSignal.notify();
    await notified;
    expect(timers).toEqual({ set: 1, cancelled: 1 });

    const over = wakeSignal.sleep(watched, 1_000);
    await clock.advance(1_000);
    await over;
    expect(timers).toEqual({ set: 2, cancelled: 1 });

    const withoutTimer = wakeSignal.sleep(watched, Infinity);
    wakeSignal.notify();
    await withoutTimer;
    wakeSignal.notify();
    await wakeSignal.sleep(watched, 1_000); // notified before it began
    expect(timers.set).toBe(2);
  });
});
