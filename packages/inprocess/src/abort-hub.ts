import { report } from './report-error.ts';
import { soon } from './soon.ts';

type Callback = () => void;

/**
 * One real listener per signal, however many calls wait on it: an EventTarget walks its list of listeners at
 * every add and remove, so that n waiters on one signal cost n².
 */
const hubs = new WeakMap<AbortSignal, Set<Callback>>();

/** Signals that nobody waits on at the moment, but on which we still listen. */
const idle = new Set<AbortSignal>();

/**
 * Calls back once when the signal aborts, unless {@link offAbort} comes first; not at all when it has aborted
 * already. The same callback twice is one.
 */
export function onAbort(signal: AbortSignal, callback: Callback): void {
  if (!signal.aborted) (hubs.get(signal) ?? listen(signal)).add(callback);
}

/** Takes the wish back. The listener goes a turn of the event loop later, as the next call may want it. */
export function offAbort(signal: AbortSignal, callback: Callback): void {
  const waiting = hubs.get(signal);
  if (!waiting?.delete(callback) || waiting.size > 0) return;
  if (idle.size === 0) soon(stopListening);
  idle.add(signal);
}

function listen(signal: AbortSignal): Set<Callback> {
  const waiting = new Set<Callback>();
  hubs.set(signal, waiting);
  signal.addEventListener('abort', announceAbort, { once: true });
  return waiting;
}

function announceAbort(this: unknown, event: Event): void {
  const signal = event.target as AbortSignal; // only ever listens to signals
  for (const callback of hubs.get(signal) ?? []) {
    try {
      callback();
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
