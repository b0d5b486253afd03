import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { offAbort, onAbort } from '../../packages/inprocess/src/time/abort-hub.ts';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

/** A listener that calls the function. */
const hears = (onAborted: () => void) => ({ onAborted });

afterEach(() => {
  vi.restoreAllMocks();
});

describe('onAbort', () => {
  it('calls back once when the signal aborts', () => {
    const controller = new AbortController();
    const callback = vi.fn();
    const listener = hears(callback);

    onAbort(controller.signal, listener);
    controller.abort();
    controller.abort();

    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('adds one listener for many wishes', () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');

    for (let count = 0; count < 10_000; count += 1)
      onAbort(
        signal,
        hears(() => {}),
      );

    expect(add).toHaveBeenCalledTimes(1);
    expect(listeners(signal)).toBe(1);
  });

  it('calls back after a callback that throws, which is reported', async () => {
    const controller = new AbortController();
    const report = vi.spyOn(console, 'error').mockReturnValue();
    const broken = new Error('broken');
    const callback = vi.fn();
    const listener = hears(callback);

    const throwing = hears(() => {
      throw broken;
    });
    onAbort(controller.signal, throwing);
    onAbort(controller.signal, listener);
    controller.abort();

    expect(callback).toHaveBeenCalledTimes(1);
    expect(report.mock.calls).toEqual([[broken]]);
  });

  it('does not call one back whom another callback takes back meanwhile', () => {
    const controller = new AbortController();
    const callback = vi.fn();
    const listener = hears(callback);

    const taking = hears(() => offAbort(controller.signal, listener));
    onAbort(controller.signal, taking);
    onAbort(controller.signal, listener);
    controller.abort();

    expect(callback).not.toHaveBeenCalled();
  });

  it('does not call back for a signal that has aborted already, and can still be taken back', async () => {
    const signal = AbortSignal.abort();
    const callback = vi.fn();
    const listener = hears(callback);

    onAbort(signal, listener);
    offAbort(signal, listener);
    await setImmediate();

    expect(callback).not.toHaveBeenCalled();
    expect(listeners(signal)).toBe(0);
  });

  it('keeps signals apart', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const callback = vi.fn();
    const listener = hears(callback);

    onAbort(one.signal, listener);
    other.abort();

    expect(callback).not.toHaveBeenCalled();
    expect(listeners(one.signal)).toBe(1);
  });
});

describe('offAbort', () => {
  it('takes one wish back and leaves the others', () => {
    const controller = new AbortController();
    const [kept, dropped] = [hears(vi.fn()), hears(vi.fn())];

    onAbort(controller.signal, kept);
    onAbort(controller.signal, dropped);
    offAbort(controller.signal, dropped);
    controller.abort();

    expect(kept.onAborted).toHaveBeenCalledTimes(1);
    expect(dropped.onAborted).not.toHaveBeenCalled();
  });

  it('leaves no listener once the event loop has turned', async () => {
    const { signal } = new AbortController();
    const wishes = Array.from({ length: 100 }, () => hears(() => {}));

    for (const wish of wishes) onAbort(signal, wish);
    for (const wish of wishes) offAbort(signal, wish);
    await setImmediate();

    expect(listeners(signal)).toBe(0);
  });

  it('keeps the listener for whoever comes in the same turn', async () => {
    const controller = new AbortController();
    const add = vi.spyOn(controller.signal, 'addEventListener');
    const [first, second] = [hears(vi.fn()), hears(vi.fn())];

    onAbort(controller.signal, first);
    offAbort(controller.signal, first);
    onAbort(controller.signal, second);
    await setImmediate();
    controller.abort();

    expect(add).toHaveBeenCalledTimes(1);
    expect(second.onAborted).toHaveBeenCalledTimes(1);
  });

  it('lets the signal be listened to anew after the listener is gone', async () => {
    const controller = new AbortController();
    const [first, second] = [hears(vi.fn()), hears(vi.fn())];

    onAbort(controller.signal, first);
    offAbort(controller.signal, first);
    await setImmediate();
    onAbort(controller.signal, second);
    controller.abort();

    expect(first.onAborted).not.toHaveBeenCalled();
    expect(second.onAborted).toHaveBeenCalledTimes(1);
  });

  it('changes nothing for a wish that was never made', () => {
    const controller = new AbortController();
    const callback = vi.fn();
    const listener = hears(callback);

    onAbort(controller.signal, listener);
    offAbort(
      controller.signal,
      hears(() => {}),
    );
    controller.abort();

    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('removes no listener of anybody else', async () => {
    const { signal } = new AbortController();
    const listener = hears(() => {});
    signal.addEventListener('abort', () => {});

    onAbort(signal, listener);
    offAbort(signal, listener);
    await setImmediate();

    expect(listeners(signal)).toBe(1);
  });
});
