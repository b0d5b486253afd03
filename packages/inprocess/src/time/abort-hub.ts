import { report } from '../call/hooks.ts';
import { nextTurn } from './clock.ts';

/** Waits for an abort. An object, because a closure for each of many thousands of calls would cost more. */
export interface AbortListener {
  readonly onAborted: () => void;
}

/**
 * One event listener per signal, however many calls wait for it: an EventTarget searches its list of listeners at
 * every add and remove, so that n listeners on one signal cost n².
 */
const hubs = new WeakMap<AbortSignal, Set<AbortListener>>();

/** Signals whose event listener has no waiting calls at the moment. */
const idle = new Set<AbortSignal>();

/**
 * Calls the listener once when the signal aborts, unless {@link offAbort} removes it before; never for a signal that
 * has aborted already. A listener that is added twice is called once.
 */
export function onAbort(signal: AbortSignal, listener: AbortListener): void {
  if (!signal.aborted) (hubs.get(signal) ?? listen(signal)).add(listener);
}

/** Removes a listener. The event listener is removed one turn later, because the next call may need it again. */
export function offAbort(signal: AbortSignal, listener: AbortListener): void {
  const waiting = hubs.get(signal);
  if (!waiting?.delete(listener) || waiting.size > 0) return;
  if (idle.size === 0) nextTurn(stopListening);
  idle.add(signal);
}

function listen(signal: AbortSignal): Set<AbortListener> {
  const waiting = new Set<AbortListener>();
  hubs.set(signal, waiting);
  signal.addEventListener('abort', callListeners, { once: true });
  return waiting;
}

function callListeners(this: unknown, event: Event): void {
  const signal = event.target as AbortSignal; // only ever listens to signals
  for (const listener of hubs.get(signal) ?? []) {
    try {
      listener.onAborted();
    } catch (error) {
      // The other listeners must still be called.
      report(error);
    }
  }
  hubs.delete(signal);
}

function stopListening(): void {
  for (const signal of idle) {
    if (hubs.get(signal)?.size !== 0) continue;
    hubs.delete(signal);
    signal.removeEventListener('abort', callListeners);
  }
  idle.clear();
}

/** A signal that aborts with the first of two others. */
export interface JoinedSignal {
  readonly signal: AbortSignal;
  /** Removes the listeners from both; absent where one of the two signals is enough. */
  readonly release?: () => void;
}

/** Joins two signals. `AbortSignal.any` is slower, and leaks in Node 20. */
export function joinSignals(own: AbortSignal | undefined, outer: AbortSignal): JoinedSignal {
  if (own === undefined || own === outer || outer.aborted) return { signal: outer };
  if (own.aborted) return { signal: own };
  const controller = new AbortController();
  const release = (): void => {
    offAbort(own, listener);
    offAbort(outer, listener);
  };
  const onAborted = (): void => {
    release();
    controller.abort((own.aborted ? own : outer).reason);
  };
  const listener = { onAborted };
  onAbort(own, listener);
  onAbort(outer, listener);
  return { signal: controller.signal, release };
}
