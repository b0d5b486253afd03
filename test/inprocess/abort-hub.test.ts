import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { offAbort, onAbort } from '../../packages/inprocess/src/time/abort-hub.ts';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

/** Creates a listener that calls the function. */
const listenerOf = (onAborted: () => void) => ({ onAborted });

afterEach(() => {
  vi.restoreAllMocks();
});

describe('onAbort', () => {
  it('calls back once when the signal aborts', () => {
    const controller = new AbortController();
    const callback = vi.fn();
    const listener = listenerOf(callback);

    onAbort(controller.signal, listener);
    controller.abort();
    controller.abort();

    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('adds one event listener for many listeners', () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');

    for (let count = 0; count < 10_000; count += 1)
      onAbort(
        signal,
        listenerOf(() => {}),
      );

    expect(add).toHaveBeenCalledTimes(1);
    expect(listeners(signal)).toBe(1);
  });

  it('calls back after a callback that throws, which is reported', async () => {
    const controller = new AbortController();
    const report = vi.spyOn(console, 'error').mockReturnValue();
    const broken = new Error('broken');
    const callback = vi.fn();
    const listener = listenerOf(callback);

    const throwing = listenerOf(() => {
      throw broken;
    });
    onAbort(controller.signal, throwing);
    onAbort(controller.signal, listener);
    controller.abort();

    expect(callback).toHaveBeenCalledTimes(1);
    expect(report.mock.calls).toEqual([[broken]]);
  });

  it('does not call a listener that another one removes during the abort', () => {
    const controller = new AbortController();
    const callback = vi.fn();
    const listener = listenerOf(callback);

    const taking = listenerOf(() => offAbort(controller.signal, listener));
    onAbort(controller.signal, taking);
    onAbort(controller.signal, listener);
    controller.abort();

    expect(callback).not.toHaveBeenCalled();
  });

  it('does not call back for a signal that has aborted already, and the listener can still be removed', async () => {
    const signal = AbortSignal.abort();
    const callback = vi.fn();
    const listener = listenerOf(callback);

    onAbort(signal, listener);
    offAbort(signal, listener);
    await setImmediate();

    expect(callback).not.toHaveBeenCalled();
    expect(listeners(signal)).toBe(0);
  });

  it('calls the listeners of one signal only', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const callback = vi.fn();
    const listener = listenerOf(callback);

    onAbort(one.signal, listener);
    other.abort();

    expect(callback).not.toHaveBeenCalled();
    expect(listeners(one.signal)).toBe(1);
  });
});

describe('offAbort', () => {
  it('removes one listener and keeps the others', () => {
    const controller = new AbortController();
    const [kept, dropped] = [listenerOf(vi.fn()), listenerOf(vi.fn())];

    onAbort(controller.signal, kept);
    onAbort(controller.signal, dropped);
    offAbort(controller.signal, dropped);
    controller.abort();

    expect(kept.onAborted).toHaveBeenCalledTimes(1);
    expect(dropped.onAborted).not.toHaveBeenCalled();
  });

  it('leaves no event listener after a turn of the event loop', async () => {
    const { signal } = new AbortController();
    const added = Array.from({ length: 100 }, () => listenerOf(() => {}));

    for (const listener of added) onAbort(signal, listener);
    for (const listener of added) offAbort(signal, listener);
    await setImmediate();

    expect(listeners(signal)).toBe(0);
  });

  it('keeps the event listener for a listener that is added in the same turn', async () => {
    const controller = new AbortController();
    const add = vi.spyOn(controller.signal, 'addEventListener');
    const [first, second] = [listenerOf(vi.fn()), listenerOf(vi.fn())];

    onAbort(controller.signal, first);
    offAbort(controller.signal, first);
    onAbort(controller.signal, second);
    await setImmediate();
    controller.abort();

    expect(add).toHaveBeenCalledTimes(1);
    expect(second.onAborted).toHaveBeenCalledTimes(1);
  });

  it('adds a new event listener after the last one was removed', async () => {
    const controller = new AbortController();
    const [first, second] = [listenerOf(vi.fn()), listenerOf(vi.fn())];

    onAbort(controller.signal, first);
    offAbort(controller.signal, first);
    await setImmediate();
    onAbort(controller.signal, second);
    controller.abort();

    expect(first.onAborted).not.toHaveBeenCalled();
    expect(second.onAborted).toHaveBeenCalledTimes(1);
  });

  it('changes nothing for a listener that was never added', () => {
    const controller = new AbortController();
    const callback = vi.fn();
    const listener = listenerOf(callback);

    onAbort(controller.signal, listener);
    offAbort(
      controller.signal,
      listenerOf(() => {}),
    );
    controller.abort();

    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('removes no event listener of others', async () => {
    const { signal } = new AbortController();
    const listener = listenerOf(() => {});
    signal.addEventListener('abort', () => {});

    onAbort(signal, listener);
    offAbort(signal, listener);
    await setImmediate();

    expect(listeners(signal)).toBe(1);
  });
});
