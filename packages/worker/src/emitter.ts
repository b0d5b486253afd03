import type { Channel } from 'node:diagnostics_channel';
import { channel } from 'node:diagnostics_channel';

/** What every emitter can tell: that a listener, or the emitter's owner, had trouble. Nothing is lost by it. */
export interface Trouble {
  readonly error: unknown;
  readonly doing: string;
}

/** Takes listeners and tells them; also publishes on `node:diagnostics_channel`. */
export interface Emitter<Events extends { readonly error: Trouble }> {
  /** @returns a function that takes the listener back */
  readonly on: <Type extends keyof Events>(type: Type, listener: (event: Events[Type]) => void) => () => void;
  /** Makes the event only if somebody listens. */
  readonly emit: <Type extends keyof Events>(type: Type, makeEvent: () => Events[Type]) => void;
}

type Listener = (event: never) => unknown;

/**
 * An emitter whose listeners cannot change what happens: what they throw is an `error` event.
 *
 * @param source - events are published on the channel `retry:<source>:<event>`
 */
export function createEmitter<Events extends { readonly error: Trouble }>(source: string): Emitter<Events> {
  const listeners = new Map<keyof Events, Set<Listener>>();
  const channels = new Map<keyof Events, Channel>();
  const channelOf = (type: keyof Events): Channel => {
    const known = channels.get(type) ?? channel(`retry:${source}:${String(type)}`);
    channels.set(type, known);
    return known;
  };
  const emit: Emitter<Events>['emit'] = (type, makeEvent) => {
    const published = channelOf(type);
    const told = listeners.get(type);
    if (!published.hasSubscribers && told === undefined) return;
    const event = makeEvent();
    if (published.hasSubscribers) published.publish(event);
    for (const listener of told ?? []) {
      call(listener, event, (error) => {
        // An error listener that throws has nobody left to tell.
        if (type !== 'error')
          emit('error', () => ({ error, doing: `telling a listener of ${String(type)}` }));
      });
    }
  };
  return {
    emit,
    on: (type, listener) => {
      const known = listeners.get(type) ?? new Set();
      listeners.set(type, known.add(listener));
      return () => void known.delete(listener);
    },
  };
}

function call(listener: Listener, event: unknown, onError: (error: unknown) => void): void {
  try {
    const answer = listener(event as never); // stored under the type of its own event
    if (answer !== undefined) Promise.resolve(answer).catch(onError); // a promise of any realm
  } catch (error) {
    onError(error);
  }
}
