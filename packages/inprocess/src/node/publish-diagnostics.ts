import type { Channel } from 'node:diagnostics_channel';
import { channel } from 'node:diagnostics_channel';
import type { CallEvent, RetryHooks } from '../call/events.ts';
import type { ObservedCall } from '../call/hooks.ts';
import { observer } from '../call/hooks.ts';
import { sharedSwitch } from './shared-switch.ts';

/** The channel of each event. */
const CHANNELS: Readonly<Record<keyof RetryHooks | 'success', Channel>> = {
  onAttempt: channel('retry:attempt'),
  onRetry: channel('retry:retry'),
  onGiveUp: channel('retry:give-up'),
  onNested: channel('retry:nested'),
  success: channel('retry:success'),
};

const turnOn = sharedSwitch({
  on: () => {
    observer.observe = publish;
    observer.attempt = publishAttempt;
  },
  off: () => {
    observer.observe = undefined;
    observer.attempt = undefined;
  },
});

/**
 * Publishes the events of every call on `node:diagnostics_channel`: `retry:attempt`, `retry:retry`, `retry:give-up`
 * and `retry:nested`, and `retry:success`. A message is the event of the hook of that name, and of a success a `SuccessEvent`. Each
 * attempt is a message of `retry:attempting`, an {@link AttemptingCall}, right before its function is called. Off by default, because every call then needs
 * its `Call` object from the start.
 *
 * @returns a function that ends it, unless another caller of this function has not ended it yet
 */
export function publishDiagnostics(): () => void {
  return turnOn();
}

/** An attempt, as it is published on the channel `retry:attempting` before its function is called. What a subscriber writes counts. */
export interface AttemptingCall {
  /** The call's name, as in events. */
  readonly name: string;
  /** The arguments, as in events: one list for all attempts of a call, and of no other. */
  readonly arguments: readonly unknown[];
  /** The number of the attempt, counted from 1. */
  readonly attempt: number;
  /** Calls the function; rejects, or throws, as it does. May be replaced by a function that calls it. */
  call: () => unknown;
}

const ATTEMPTING: Channel = channel('retry:attempting');

function publishAttempt({ name, parameters, attempts }: ObservedCall, run: () => unknown): unknown {
  if (!ATTEMPTING.hasSubscribers) return run();
  const message: AttemptingCall = { name, arguments: parameters, attempt: attempts, call: run };
  ATTEMPTING.publish(message);
  return message.call();
}

function publish(hook: keyof RetryHooks | 'success', event: CallEvent): void {
  const { [hook]: target } = CHANNELS;
  if (target.hasSubscribers) target.publish(copyOf(event));
}

/**
 * Copies an event without reading an id that is drawn from the caller's `random`: it is drawn for who reads it. Any other event is
 * spread, which takes 0.1 µs, and its descriptors 3 µs.
 */
function copyOf(event: CallEvent): unknown {
  if (Object.getOwnPropertyDescriptor(event, 'id')?.get === undefined) return { ...event };
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(event));
}
