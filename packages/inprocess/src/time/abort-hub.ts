import { report } from '../call/report-error.ts';
import { soon } from './soon.ts';

/** Whoever waits for an abort; an object rather than a function, as many thousands may wait at once. */
export interface AbortListener {
  readonly onAborted: () => void;
}

/**
 * One real listener per signal, however many calls wait on it: an EventTarget walks its list of listeners at
 * every add and remove, so that n waiters on one signal cost n².
 */
const hubs = new WeakMap<AbortSignal, Set<AbortListener>>();

/** Signals that nobody waits on at the moment, but on which we still listen. */
const idle = new Set<AbortSignal>();

/**
 * Tells the listener once when the signal aborts, unless {@link offAbort} comes first; not at all when it has
 * aborted already. The same listener twice is one.
 */
export function onAbort(signal: AbortSignal, listener: AbortListener): void {
  if (!signal.aborted) (hubs.get(signal) ?? listen(signal)).add(listener);
}

/** Takes the wish back. The listener goes a turn of the event loop later, as the next call may want it. */
export function offAbort(signal: AbortSignal, listener: AbortListener): void {
  const waiting = hubs.get(signal);
  if (!waiting?.delete(listener) || waiting.size > 0) return;
  if (idle.size === 0) soon(stopListening);
  idle.add(signal);
}

function listen(signal: AbortSignal): Set<AbortListener> {
  const waiting = new Set<AbortListener>();
  hubs.set(signal, waiting);
  signal.addEventListener('abort', announceAbort, { once: true });
  return waiting;
}

function announceAbort(this: unknown, event: Event): void {
  const signal = event.target as AbortSignal; // only ever listens to signals
  for (const listener of hubs.get(signal) ?? []) {
    try {
      listener.onAborted();
    } catch (error) {
      // The others still have to hear.
      report(error);
    }
  }
  hubs.delete(signal);
}

function stopListening(): void {
  for (const signal of idle) {
    if (hubs.get(signal)?.size !== 0) continue;
    hubs.delete(signal);
    signal.removeEventListener('abort', announceAbort);
  }
  idle.clear();
}
