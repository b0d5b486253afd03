/** What waits for each signal: one listener on a signal for all, since Node warns of a leak from the eleventh on. */
const waiting = new WeakMap<AbortSignal, Waiting>();

interface Waiting {
  readonly listeners: Set<() => void>;
  readonly onAbort: () => void;
}

/**
 * Calls the listener when the signal aborts; at once if it has, which emits no further event.
 *
 * @returns removes it; the last one of a signal leaves nothing on it
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => {};
  }
  const { listeners, onAbort } = waiting.get(signal) ?? listenTo(signal);
  listeners.add(listener);
  return () => {
    if (!listeners.delete(listener) || listeners.size > 0) return;
    waiting.delete(signal);
    signal.removeEventListener('abort', onAbort);
  };
}

function listenTo(signal: AbortSignal): Waiting {
  const listeners = new Set<() => void>();
  const onAbort = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const started = { listeners, onAbort };
  waiting.set(signal, started);
  signal.addEventListener('abort', onAbort);
  return started;
}
