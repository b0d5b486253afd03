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
  readonly emit: <Type extends keyof Events>(type: Type, event: Events[Type]) => void;
}

type Listener = (event: never) => unknown;

/**
 * An emitter whose listeners cannot change what happens: what they throw is an `error` event.
 *
 * @param source - events are published on the channel `retry:<source>:<event>`
 */
export function createEmitter<Events extends { readonly error: Trouble }>(source: string): Emitter<Events> {
  const listeners = new Map<keyof Events, Set<Listener>>();
  const emit: Emitter<Events>['emit'] = (type, event) => {
    publish(`retry:${source}:${String(type)}`, event);
    for (const listener of listeners.get(type) ?? []) {
      call(listener, event, (error) => {
        // An error listener that throws has nobody left to tell.
        if (type !== 'error') emit('error', { error, doing: `telling a listener of ${String(type)}` });
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

function publish(name: string, event: unknown): void {
  const published = channel(name);
  if (published.hasSubscribers) published.publish(event);
}

function call(listener: Listener, event: unknown, onError: (error: unknown) => void): void {
  try {
    // Stored under the type of its own event; it may answer with a promise of any realm.
    Promise.resolve(listener(event as never)).catch(onError);
  } catch (error) {
    onError(error);
  }
}
