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
const hubs = new WeakMap<AbortSignal, Hub>();

/** Hubs whose event listener had no waiting calls at one moment of this turn. */
const idle: Hub[] = [];

type Link = Hub | AbortWait;

/**
 * The waits for one signal, in a ring in the order in which they began. Not in a `Set`, which would keep calls that have ended until a
 * full collection.
 */
class Hub {
  readonly signal: AbortSignal;
  after: Link = this;
  before: Link = this;
  isIdle = false;

  constructor(signal: AbortSignal) {
    this.signal = signal;
  }

  /** Calls all that wait for this signal; the event may name another object, where the signal is wrapped in a Proxy. */
  readonly onAbort = (): void => {
    hubs.delete(this.signal);
    // A listener may end the waits of others.
    while (this.after instanceof AbortWait) this.after.call();
  };
}

/** A listener that waits for a signal. */
export class AbortWait {
  readonly #listener: AbortListener;
  readonly #hub: Hub;
  before: Link;
  after: Link;

  constructor(listener: AbortListener, hub: Hub) {
    this.#listener = listener;
    this.#hub = hub;
    this.before = hub.before;
    this.after = hub;
    hub.before.after = this;
    hub.before = this;
  }

  /** Ends it. The event listener is removed one turn later, because the next call may need it again. */
  end(): void {
    if (this.after === this) return; // it has ended
    const hub = this.#hub;
    this.before.after = this.after;
    this.after.before = this.before;
    this.before = this;
    this.after = this;
    if (hub.after !== hub || hub.isIdle) return;
    hub.isIdle = true;
    if (idle.push(hub) === 1) nextTurn(stopListening);
  }

  /** Ends it and calls the listener. */
  call(): void {
    this.end();
    try {
      this.#listener.onAborted();
    } catch (error) {
      // The other listeners must still be called.
      report(error);
    }
  }
}

/**
 * Calls the listener once when the signal aborts, unless the wait is ended before.
 *
 * @returns the wait; `undefined` for a signal that has aborted already, which never calls it
 */
export function onAbort(signal: AbortSignal, listener: AbortListener): AbortWait | undefined {
  return signal.aborted ? undefined : new AbortWait(listener, hubs.get(signal) ?? listen(signal));
}

function listen(signal: AbortSignal): Hub {
  const hub = new Hub(signal);
  hubs.set(signal, hub);
  signal.addEventListener('abort', hub.onAbort, { once: true });
  return hub;
}

function stopListening(): void {
  for (const hub of idle.splice(0)) {
    hub.isIdle = false;
    // An event that was no abort may have dropped it, and another hub have taken its place.
    if (hub.after !== hub || hubs.get(hub.signal) !== hub) continue;
    hubs.delete(hub.signal);
    try {
      hub.signal.removeEventListener('abort', hub.onAbort);
    } catch (error) {
      // The listeners of other signals must still be removed, and nothing would catch it here.
      report(error);
    }
  }
}

/** Returns why a signal has aborted: an AbortError where it does not say, as those of React Native and older polyfills. */
export function reasonOf(signal: AbortSignal | undefined): unknown {
  const { reason = Object.assign(new Error('the signal has aborted'), { name: 'AbortError' }) } =
    Object(signal);
  return reason;
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
    for (const wait of waits) wait?.end();
  };
  const onAborted = (): void => {
    release();
    controller.abort((own.aborted ? own : outer).reason);
  };
  const listener = { onAborted };
  const waits = [onAbort(own, listener), onAbort(outer, listener)];
  return { signal: controller.signal, release };
}
