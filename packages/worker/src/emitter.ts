import type { Channel } from 'node:diagnostics_channel';
import { channel } from 'node:diagnostics_channel';
import type { Clock, Problem } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import { systemClock } from './clock.ts';
import { errorLine } from './error-text.ts';
import { warnRarely } from './warn-rarely.ts';

/** What every emitter can report: that a listener, or the emitter's owner, had trouble. Nothing is lost by it. */
export interface ListenerError {
  readonly error: unknown;
  readonly doing: string;
}

/** Takes listeners and calls them; also publishes on `node:diagnostics_channel`. */
export interface Emitter<Events extends { readonly error: ListenerError }> {
  /**
   * @returns a function that takes the listener back
   * @throws {InvalidOptionsError} for an event that there is not, and for what is no function
   */
  readonly on: <Type extends keyof Events>(type: Type, listener: (event: Events[Type]) => void) => () => void;
  /** Makes the event only if there is a listener; an `error` without one becomes a process warning, at most one a minute. */
  readonly emit: <Type extends keyof Events>(type: Type, makeEvent: () => Events[Type]) => void;
}

type Listener = (event: never) => unknown;

const NO_LISTENERS: ReadonlySet<Listener> = new Set();

/**
 * An emitter whose listeners cannot change what happens: what they throw is an `error` event.
 *
 * @param source - events are published on the channel `retry:<source>:<event>`
 * @param types - every event, by its name
 * @param clock - by which a minute passes between two warnings
 */
export function createEmitter<Events extends { readonly error: ListenerError }>(
  source: string,
  types: Readonly<Record<keyof Events, true>>,
  clock: Pick<Clock, 'now'> = systemClock,
): Emitter<Events> {
  const listeners = new Map<keyof Events, Set<Listener>>();
  const channelOf = channelsOf<keyof Events>(source);
  const warn = warnRarely(clock);
  const emit: Emitter<Events>['emit'] = (type, makeEvent) => {
    const published = channelOf(type);
    const called = listeners.get(type) ?? NO_LISTENERS;
    if (!published.hasSubscribers && called.size === 0) {
      if (type === 'error') warn(unhandled(source, makeEvent() as ListenerError)); // the type of `error` in every `Events`
      return;
    }
    const event = makeEvent();
    if (published.hasSubscribers) published.publish(event);
    for (const listener of called) {
      call(listener, event, (error) => {
        // There is no listener left for what an error listener throws.
        if (type !== 'error')
          emit('error', () => ({ error, doing: `telling a listener of ${String(type)}` }));
      });
    }
  };
  return { emit, on: adder(listeners, source, Object.keys(types)) };
}

function channelsOf<Type>(source: string): (type: Type) => Channel {
  const channels = new Map<Type, Channel>();
  return (type) => {
    const known = channels.get(type) ?? channel(`retry:${source}:${String(type)}`);
    channels.set(type, known);
    return known;
  };
}

function adder<Type>(
  listeners: Map<Type, Set<Listener>>,
  source: string,
  types: readonly string[],
): (type: Type, listener: Listener) => () => void {
  return (type, listener) => {
    checkListener(source, types, { type, listener });
    const known = listeners.get(type) ?? new Set();
    listeners.set(type, known.add(listener));
    return () => void known.delete(listener);
  };
}

/** An event that is misspelt would never come. */
function checkListener(
  source: string,
  types: readonly string[],
  { type, listener }: { readonly type: unknown; readonly listener: unknown },
): void {
  const problems: Problem[] = [];
  if (!types.some((known) => known === type)) {
    const cure = `Use one of ${types.join(', ')}.`;
    problems.push({ path: 'type', value: type, message: 'is not an event', cure });
  }
  if (typeof listener !== 'function') {
    const cure = `Use ${source}.on('error', ({ error, doing }) => log(doing, error)).`;
    problems.push({ path: 'listener', value: listener, message: 'must be a function', cure });
  }
  if (problems.length > 0) throw new InvalidOptionsError(problems, `${source}.on`);
}

function unhandled(source: string, { error, doing }: ListenerError) {
  return {
    code: 'RETRY_UNHANDLED_ERROR',
    message: `retry ${source}: ${doing}: ${errorLine(error)}`,
    cure: `No listener was there for it. Listen: ${source}.on('error', ({ error, doing }) => log(doing, error)).`,
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
