import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { onAbort } from '../../packages/inprocess/src/abort-hub.ts';

const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('onAbort', () => {
  it('calls back once when the signal aborts', () => {
    const controller = new AbortController();
    const callback = vi.fn();

    onAbort(controller.signal, callback);
    controller.abort();
    controller.abort();

    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('calls nobody back who took the wish back', () => {
    const controller = new AbortController();
    const [kept, dropped] = [vi.fn(), vi.fn()];

    onAbort(controller.signal, kept);
    onAbort(controller.signal, dropped)();
    controller.abort();

    expect(kept).toHaveBeenCalledTimes(1);
    expect(dropped).not.toHaveBeenCalled();
  });

  it('keeps two wishes of one callback apart', () => {
    const controller = new AbortController();
    const callback = vi.fn();

    onAbort(controller.signal, callback);
    onAbort(controller.signal, callback)();
    controller.abort();

    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('adds one listener for many wishes and removes it with the last', () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, 'addEventListener');
    const remove = vi.spyOn(signal, 'removeEventListener');

    const forgets = Array.from({ length: 10_000 }, () => onAbort(signal, () => {}));

    expect(add).toHaveBeenCalledTimes(1);
    expect(listeners(signal)).toBe(1);
    for (const forget of forgets.slice(1)) forget();
    expect(remove).not.toHaveBeenCalled();
    forgets[0]?.();
    expect(remove).toHaveBeenCalledTimes(1);
    expect(listeners(signal)).toBe(0);
  });

  it('listens anew after the last wish was taken back', () => {
    const controller = new AbortController();
    const callback = vi.fn();

    onAbort(controller.signal, () => {})();
    onAbort(controller.signal, callback);
    controller.abort();

    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('leaves the wishes of others alone when one is taken back twice', () => {
    const controller = new AbortController();
    const callback = vi.fn();

    const forget = onAbort(controller.signal, () => {});
    forget();
    onAbort(controller.signal, callback);
    forget();
    controller.abort();

    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('does not call one back whom another callback takes back meanwhile', () => {
    const controller = new AbortController();
    const callback = vi.fn();

    onAbort(controller.signal, () => forget());
    const forget = onAbort(controller.signal, callback);
    controller.abort();

    expect(callback).not.toHaveBeenCalled();
  });

  it('leaves no listener after the abort', () => {
    const controller = new AbortController();

    const forget = onAbort(controller.signal, () => {});
    controller.abort();
    forget();

    expect(listeners(controller.signal)).toBe(0);
  });

  it('does not call back for a signal that has aborted already, and can still be taken back', () => {
    const signal = AbortSignal.abort();
    const callback = vi.fn();

    const forget = onAbort(signal, callback);
    forget();

    expect(callback).not.toHaveBeenCalled();
    expect(listeners(signal)).toBe(0);
  });

  it('keeps signals apart', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const callback = vi.fn();

    onAbort(one.signal, callback);
    other.abort();

    expect(callback).not.toHaveBeenCalled();
    expect(listeners(one.signal)).toBe(1);
  });

  it('removes no listener of anybody else', () => {
    const { signal } = new AbortController();
    signal.addEventListener('abort', () => {});

    onAbort(signal, () => {})();

    expect(listeners(signal)).toBe(1);
  });
});
