import { describe, expect, it, vi } from 'vitest';
import { wait } from '../../packages/inprocess/src/time/clock.ts';
import { createFakeClock } from './fake-clock.ts';

describe('wait', () => {
  it('calls back after the delay and not before', async () => {
    const clock = createFakeClock();
    const done = vi.fn();

    wait(done, 500, clock);
    await clock.advance(499);

    expect(done).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(done).toHaveBeenCalledTimes(1);
  });

  it('sets a timer for a delay below a millisecond', () => {
    const clock = createFakeClock();

    wait(() => {}, 0.25, clock);

    expect(clock.delays).toEqual([0.25]);
  });

  it('calls back immediately when woken, and unparks itself', () => {
    const clock = createFakeClock();
    const [done, unpark] = [vi.fn(), vi.fn()];
    const wakes: (() => void)[] = [];
    const park = (wake: () => void) => {
      wakes.push(wake);
      return unpark;
    };

    wait(done, 500, clock, park);
    wakes[0]?.();

    expect(done).toHaveBeenCalledTimes(1);
    expect(clock.pending()).toBe(0);
    expect(unpark).toHaveBeenCalledTimes(1);
  });

  it('unparks itself when the delay is over', async () => {
    const clock = createFakeClock();
    const [done, unpark] = [vi.fn(), vi.fn()];

    wait(done, 500, clock, () => unpark);
    await clock.advance(500);

    expect(done).toHaveBeenCalledTimes(1);
    expect(unpark).toHaveBeenCalledTimes(1);
  });

  it.each([undefined, vi.fn()])('leaves no timer when it is cancelled, parked: %s', async (unpark) => {
    const clock = createFakeClock();
    const done = vi.fn();

    const cancel = wait(done, 500, clock, unpark && (() => unpark));
    expect(clock.pending()).toBe(1);
    cancel();
    await clock.advance(500);

    expect(clock.pending()).toBe(0);
    expect(done).not.toHaveBeenCalled();
    if (unpark !== undefined) expect(unpark).toHaveBeenCalledTimes(1);
  });
});
