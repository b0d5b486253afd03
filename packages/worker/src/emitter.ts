import type { Channel } from 'node:diagnostics_channel';
import { channel } from 'node:diagnostics_channel';
import type { Clock, Problem } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import { systemClock } from './clock.ts';
import { errorLine } from './error-text.ts';
import { warnRarely } from './warn-rarely.ts';

/** Payload of every `error` event: a listener threw, or an operation of the emitter's owner failed and is retried. */
export interface ListenerError {
  readonly error: unknown;
  /** The operation that failed, such as `heartbeating`. */
  readonly doing: string;
}

/** Keeps listeners and calls them; also publishes on `node:diagnostics_channel`. */
export interface Emitter<Events extends { readonly error: ListenerError }> {
  /**
   * Adds a listener.
   *
   * @returns a function that removes the listener
   * @throws {InvalidOptionsError} for an unknown event, or a listener that is not a function
   */
  readonly on: <Type extends keyof Events>(type: Type, listener: (event: Events[Type]) => void) => () => void;
  /** Creates the event only if it has a listener. An `error` without one becomes a process warning, at most one a minute. */
  readonly emit: <Type extends keyof Events>(type: Type, makeEvent: () => Events[Type]) => void;
}

type Listener = (event: never) => unknown;

const NO_LISTENERS: ReadonlySet<Listener> = new Set();

/**
 * Creates an emitter whose listeners cannot change its owner's behaviour: what they throw becomes an `error` event.
 *
 * @param source - events are published on the channel `retry:<source>:<event>`
 * @param types - every event, by its name
 * @param clock - measures the minute between two warnings
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
        // What an error listener throws is dropped: reporting it would call the same listener again.
        if (type !== 'error')
          emit('error', () => ({ error, doing: `calling a listener of ${String(type)}` }));
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

/** A misspelt event would never be emitted. */
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
    cure: `It has no listener. Add one: ${source}.on('error', ({ error, doing }) => log(doing, error)).`,
  };
}

function call(listener: Listener, event: unknown, onError: (error: unknown) => void): void {
  try {
    const answer = listener(event as never); // stored under the type of its own event
    if (answer !== undefined) Promise.resolve(answer).catch(onError); // works for promises of other realms, too
  } catch (error) {
    onError(error);
  }
}
