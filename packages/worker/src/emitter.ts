import type { Channel } from 'node:diagnostics_channel';
import { channel } from 'node:diagnostics_channel';
import type { Clock, Problem } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import { A_FUNCTION } from '@retry/core/fields';
import { systemClock } from './clock.ts';
import { errorLine } from './error-text.ts';
import { callOutside } from './session/outside.ts';
import { warnRarely } from './warn-rarely.ts';

/** Payload of every `error` event: a listener threw, or an operation of the emitter's owner failed and is retried. */
export interface ListenerError {
  /** What was thrown, whatever it is. */
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
  /** Whether an event has a listener; asked before `emit` where events are frequent. */
  readonly isObserved: (type: keyof Events) => boolean;
  /** Creates the event only if it has a listener. An `error` without one becomes a process warning, at most one a minute. */
  readonly emit: <Type extends keyof Events>(type: Type, makeEvent: () => Events[Type]) => void;
}

type Listener = (event: never) => unknown;

/**
 * Creates an emitter whose listeners cannot change its owner's behaviour: what they throw becomes an `error` event. They are called
 * outside every `AsyncLocalStorage`: an event belongs to no request.
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
  const names = Object.keys(types);
  const outletOf = outletsOf<keyof Events>(source);
  const warn = warnRarely(clock);
  const isObserved = (type: keyof Events): boolean => {
    const { published, listeners } = outletOf(type);
    return listeners.length > 0 || published.hasSubscribers;
  };
  const emit: Emitter<Events>['emit'] = (type, makeEvent) => {
    if (!isObserved(type)) {
      if (type === 'error') warn(unhandled(source, makeEvent() as ListenerError)); // the type of `error` in every `Events`
      return;
    }
    callOutside(deliver, outletOf(type), makeEvent(), (error: unknown) => {
      // What an error listener throws is dropped: reporting it would call the same listener again.
      if (type !== 'error') emit('error', () => ({ error, doing: `calling a listener of ${String(type)}` }));
    });
  };
  const on: Emitter<Events>['on'] = (type, listener) => {
    checkListener(source, names, { type, listener });
    const outlet = outletOf(type);
    const added = { listener };
    outlet.listeners = [...outlet.listeners, added];
    return () => {
      outlet.listeners = outlet.listeners.filter((other) => other !== added);
    };
  };
  return { emit, isObserved, on };
}

/** Where the events of one type go. */
interface Outlet {
  readonly published: Channel;
  /** The listeners, in an object each, as a function may be added twice. Each change makes a new list, as a listener may make one. */
  listeners: readonly { readonly listener: Listener }[];
}

function outletsOf<Type>(source: string): (type: Type) => Outlet {
  const outlets = new Map<Type, Outlet>();
  return (type) => {
    let outlet = outlets.get(type);
    if (outlet === undefined) {
      outlet = { published: channel(`retry:${source}:${String(type)}`), listeners: [] };
      outlets.set(type, outlet);
    }
    return outlet;
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
  if (!A_FUNCTION.accepts(listener)) {
    const cure = `Use ${source}.on('error', ({ error, doing }) => log(doing, error)).`;
    problems.push({ path: 'listener', value: listener, message: A_FUNCTION.message, cure });
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

function deliver({ published, listeners }: Outlet, event: unknown, onError: (error: unknown) => void): void {
  if (published.hasSubscribers) published.publish(event);
  for (const { listener } of listeners) call(listener, event, onError);
}

function call(listener: Listener, event: unknown, onError: (error: unknown) => void): void {
  try {
    const answer = listener(event as never); // stored under the type of its own event
    if (answer !== undefined) Promise.resolve(answer).catch(onError); // works for promises of other realms, too
  } catch (error) {
    onError(error);
  }
}
