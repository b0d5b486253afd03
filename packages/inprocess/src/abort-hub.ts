type Callback = () => void;

/**
 * One real listener per signal, however many calls wait on it: an EventTarget walks its list of listeners at
 * every add and remove, so that n waiters on one signal cost n².
 */
const hubs = new WeakMap<AbortSignal, Set<Callback>>();

/**
 * Calls back once when the signal aborts; not at all when it has aborted already.
 *
 * @returns a function that takes the wish back
 */
export function onAbort(signal: AbortSignal, callback: Callback): () => void {
  const waiting = hubs.get(signal) ?? listen(signal);
  // A callback may wait on the same signal twice, so each wish is a value of its own.
  const wish: Callback = () => callback();
  waiting.add(wish);
  return () => forget(signal, waiting, wish);
}

function listen(signal: AbortSignal): Set<Callback> {
  const waiting = new Set<Callback>();
  hubs.set(signal, waiting);
  signal.addEventListener('abort', announceAbort, { once: true });
  return waiting;
}

function announceAbort(this: unknown, event: Event): void {
  const signal = event.target as AbortSignal; // only ever listens to signals
  const waiting = hubs.get(signal);
  hubs.delete(signal);
  for (const wish of waiting ?? []) wish();
}

function forget(signal: AbortSignal, waiting: Set<Callback>, wish: Callback): void {
  if (!waiting.delete(wish) || waiting.size > 0 || hubs.get(signal) !== waiting) return;
  hubs.delete(signal);
  signal.removeEventListener('abort', announceAbort);
}
