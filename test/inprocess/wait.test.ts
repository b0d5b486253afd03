import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { wait } from '../../packages/inprocess/src/wait.ts';
import { createFakeClock } from './fake-clock.ts';

describe('wait', () => {
  it('resolves after the delay and not before', async () => {
    const clock = createFakeClock();
    const done = vi.fn();

    void wait(500, clock).then(done);
    await clock.advance(499);

    expect(done).not.toHaveBeenCalled();
    await clock.advance(1);
    expect(done).toHaveBeenCalledTimes(1);
  });

  it('sets no timer for a delay of 0', async () => {
    const clock = createFakeClock();

    await wait(0, clock, { signal: new AbortController().signal });

    expect(clock.delays).toEqual([]);
  });

  it('sets a timer for a delay below a millisecond', async () => {
    const clock = createFakeClock();

    const done = wait(0.25, clock);
    await clock.advance(1);
    await done;

    expect(clock.delays).toEqual([0.25]);
  });

  it.each([0, 500])('is over at once with a signal that has aborted, delay %i', async (delayMs) => {
    const clock = createFakeClock();

    await wait(delayMs, clock, { signal: AbortSignal.abort('gone') });

    expect(clock.delays).toEqual([]);
  });

  it('is over at once when the signal aborts', async () => {
    const clock = createFakeClock();
    const controller = new AbortController();

    const result = wait(500, clock, { signal: controller.signal });
    await clock.advance(100);
    controller.abort();
    await result;

    expect(clock.now()).toBe(1_000_100);
  });

  it('is over at once when whoever parks it wakes it, and takes itself off', async () => {
    const clock = createFakeClock();
    const unpark = vi.fn();
    const wakes: (() => void)[] = [];
    const park = (wake: () => void) => {
      wakes.push(wake);
      return unpark;
    };

    const result = wait(500, clock, { park });
    wakes[0]?.();
    await result;

    expect(clock.pending()).toBe(0);
    expect(unpark).toHaveBeenCalledTimes(1);
  });

  it('leaves no timer behind when it is aborted', async () => {
    const clock = createFakeClock();
    const controller = new AbortController();

    const result = wait(500, clock, { signal: controller.signal });
    expect(clock.pending()).toBe(1);
    controller.abort();
    await result;

    expect(clock.pending()).toBe(0);
  });

  it.each(['resolves', 'is aborted'])('leaves no listener behind when it %s', async (end) => {
    const clock = createFakeClock();
    const controller = new AbortController();

    const result = Promise.allSettled([wait(500, clock, { signal: controller.signal })]);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    if (end === 'is aborted') controller.abort();
    await clock.advance(500);
    await result;
    await setImmediate();

    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('stays resolved when the signal aborts later', async () => {
    const clock = createFakeClock();
    const controller = new AbortController();

    const result = wait(500, clock, { signal: controller.signal });
    await clock.advance(500);
    controller.abort();

    expect(await result).toBeUndefined();
  });
});
