import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { wait } from '../../packages/inprocess/src/wait.ts';
import { rejectionOf } from './failing.ts';
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

    await wait(0, clock, new AbortController().signal);

    expect(clock.delays).toEqual([]);
  });

  it('sets a timer for a delay below a millisecond', async () => {
    const clock = createFakeClock();

    const done = wait(0.25, clock);
    await clock.advance(1);
    await done;

    expect(clock.delays).toEqual([0.25]);
  });

  it.each([0, 500])('rejects with the reason of a signal that has aborted, delay %i', async (delayMs) => {
    const clock = createFakeClock();

    const reason = await rejectionOf(wait(delayMs, clock, AbortSignal.abort('gone')));

    expect(reason).toBe('gone');
    expect(clock.delays).toEqual([]);
  });

  it('rejects at once with the reason when the signal aborts', async () => {
    const clock = createFakeClock();
    const controller = new AbortController();
    const reason = new Error('enough');

    const result = rejectionOf(wait(500, clock, controller.signal));
    await clock.advance(100);
    controller.abort(reason);

    expect(await result).toBe(reason);
  });

  it('leaves no timer behind when it is aborted', async () => {
    const clock = createFakeClock();
    const controller = new AbortController();

    const result = rejectionOf(wait(500, clock, controller.signal));
    expect(clock.pending()).toBe(1);
    controller.abort();
    await result;

    expect(clock.pending()).toBe(0);
  });

  it.each(['resolves', 'is aborted'])('leaves no listener behind when it %s', async (end) => {
    const clock = createFakeClock();
    const controller = new AbortController();

    const result = Promise.allSettled([wait(500, clock, controller.signal)]);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    if (end === 'is aborted') controller.abort();
    await clock.advance(500);
    await result;

    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('stays resolved when the signal aborts later', async () => {
    const clock = createFakeClock();
    const controller = new AbortController();

    const result = wait(500, clock, controller.signal);
    await clock.advance(500);
    controller.abort();

    expect(await result).toBeUndefined();
  });
});
