import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { onAbort } from '../../packages/inprocess/src/time/abort-hub.ts';

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

  it('calls back for a signal whose events name another object', () => {
    const controller = new AbortController();
    const wrapped = new Proxy(controller.signal, {
      get: (signal, key) => {
        const value: unknown = Reflect.get(signal, key, signal);
        return typeof value === 'function' ? value.bind(signal) : value;
      },
    });
    const callback = vi.fn();

    onAbort(wrapped, listenerOf(callback));
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

  it('does not call a listener whose wait another one ends during the abort', () => {
    const controller = new AbortController();
    const callback = vi.fn();
    const listener = listenerOf(callback);

    const taking = listenerOf(() => taken?.end());
    onAbort(controller.signal, taking);
    const taken = onAbort(controller.signal, listener);
    controller.abort();

    expect(callback).not.toHaveBeenCalled();
  });

  it('does not wait for a signal that has aborted already', async () => {
    const signal = AbortSignal.abort();
    const callback = vi.fn();

    expect(onAbort(signal, listenerOf(callback))).toBeUndefined();
    await setImmediate();

    expect(callback).not.toHaveBeenCalled();
    expect(listeners(signal)).toBe(0);
  });

  it('calls the listeners in the order in which they began to wait', () => {
    const controller = new AbortController();
    const called: number[] = [];
    const waits = [0, 1, 2, 3].map((number) =>
      onAbort(
        controller.signal,
        listenerOf(() => called.push(number)),
      ),
    );

    waits[1]?.end();
    controller.abort();

    expect(called).toEqual([0, 2, 3]);
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

describe('the end of a wait', () => {
  it('removes one listener and keeps the others', () => {
    const controller = new AbortController();
    const [kept, dropped] = [listenerOf(vi.fn()), listenerOf(vi.fn())];

    onAbort(controller.signal, kept);
    onAbort(controller.signal, dropped)?.end();
    controller.abort();

    expect(kept.onAborted).toHaveBeenCalledTimes(1);
    expect(dropped.onAborted).not.toHaveBeenCalled();
  });

  it('leaves no event listener after a turn of the event loop', async () => {
    const { signal } = new AbortController();

    const waits = Array.from({ length: 100 }, () =>
      onAbort(
        signal,
        listenerOf(() => {}),
      ),
    );
    for (const wait of waits) wait?.end();
    await setImmediate();

    expect(listeners(signal)).toBe(0);
  });

  it('leaves no event listener where waits follow one another, in one turn and in the next', async () => {
    const { signal } = new AbortController();

    for (let turn = 0; turn < 2; turn += 1) {
      for (let count = 0; count < 3; count += 1)
        onAbort(
          signal,
          listenerOf(() => {}),
        )?.end();
      await setImmediate();

      expect(listeners(signal)).toBe(0);
    }
  });

  it('keeps the event listener for a wait that begins in the same turn', async () => {
    const controller = new AbortController();
    const add = vi.spyOn(controller.signal, 'addEventListener');
    const [first, second] = [listenerOf(vi.fn()), listenerOf(vi.fn())];

    onAbort(controller.signal, first)?.end();
    onAbort(controller.signal, second);
    await setImmediate();
    controller.abort();

    expect(add).toHaveBeenCalledTimes(1);
    expect(second.onAborted).toHaveBeenCalledTimes(1);
  });

  it('is followed by a new event listener for the next wait', async () => {
    const controller = new AbortController();
    const [first, second] = [listenerOf(vi.fn()), listenerOf(vi.fn())];

    onAbort(controller.signal, first)?.end();
    await setImmediate();
    onAbort(controller.signal, second);
    controller.abort();

    expect(first.onAborted).not.toHaveBeenCalled();
    expect(second.onAborted).toHaveBeenCalledTimes(1);
  });

  it('changes nothing the second time, and after the abort', async () => {
    const controller = new AbortController();
    const [ended, kept] = [listenerOf(vi.fn()), listenerOf(vi.fn())];

    const wait = onAbort(controller.signal, ended);
    const other = onAbort(controller.signal, kept);
    wait?.end();
    wait?.end();
    controller.abort();
    other?.end();
    await setImmediate();

    expect(ended.onAborted).not.toHaveBeenCalled();
    expect(kept.onAborted).toHaveBeenCalledTimes(1);
    expect(listeners(controller.signal)).toBe(0);
  });

  it('takes no listener from later waits the second time', async () => {
    const controller = new AbortController();
    const later = listenerOf(vi.fn());
    const ended = onAbort(controller.signal, listenerOf(vi.fn()));
    ended?.end();
    await setImmediate();

    onAbort(controller.signal, later);
    ended?.end();
    await setImmediate();
    controller.abort();

    expect(later.onAborted).toHaveBeenCalledTimes(1);
  });

  it('takes no listener from the waits that follow an event without an abort', async () => {
    const controller = new AbortController();
    const later = listenerOf(vi.fn());
    onAbort(controller.signal, listenerOf(vi.fn()));

    controller.signal.dispatchEvent(new Event('abort'));
    onAbort(controller.signal, later);
    await setImmediate();
    controller.abort();

    expect(later.onAborted).toHaveBeenCalledTimes(1);
  });

  it('reports a signal that lets no listener be removed, and removes those of other signals', async () => {
    const report = vi.spyOn(console, 'error').mockReturnValue();
    const [broken, other] = [new AbortController(), new AbortController()];
    vi.spyOn(broken.signal, 'removeEventListener').mockImplementation(() => {
      throw new Error('broken');
    });

    for (const { signal } of [broken, other]) onAbort(signal, listenerOf(vi.fn()))?.end();
    await setImmediate();

    expect(report).toHaveBeenCalledExactlyOnceWith(new Error('broken'));
    expect(listeners(other.signal)).toBe(0);
  });

  it('removes no event listener of others', async () => {
    const { signal } = new AbortController();
    signal.addEventListener('abort', () => {});

    onAbort(
      signal,
      listenerOf(() => {}),
    )?.end();
    await setImmediate();

    expect(listeners(signal)).toBe(1);
  });
});
