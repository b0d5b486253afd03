/** An abort signal that shows its listeners. */
interface CountedSignal {
  readonly aborted: boolean;
  readonly listeners: ReadonlySet<() => void>;
  readonly addEventListener: (type: 'abort', listener: () => void) => void;
  readonly removeEventListener: (type: 'abort', listener: () => void) => void;
  readonly abort: () => void;
}

/** Creates a signal without listeners. */
export function createCountedSignal(): CountedSignal {
  const listeners = new Set<() => void>();
  const signal = {
    aborted: false,
    listeners,
    addEventListener: (_: 'abort', listener: () => void) => void listeners.add(listener),
    removeEventListener: (_: 'abort', listener: () => void) => void listeners.delete(listener),
    abort: () => {
      signal.aborted = true;
      for (const listener of listeners) listener();
    },
  };
  return signal;
}
