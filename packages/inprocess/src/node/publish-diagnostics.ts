import type { Channel } from 'node:diagnostics_channel';
import { channel } from 'node:diagnostics_channel';
import type { CallEvent, RetryHooks } from '../call/events.ts';
import { observer } from '../call/hooks.ts';

/** The channel of each event. */
const NAMES: Readonly<Record<keyof RetryHooks, string>> = {
  onAttempt: 'retry:attempt',
  onRetry: 'retry:retry',
  onGiveUp: 'retry:give-up',
  onNested: 'retry:nested',
};

/** Copies an event without reading its id: one that is drawn from the caller's `random` is drawn for who reads it. */
function copyOf(event: CallEvent): unknown {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(event));
}

/**
 * Publishes the events of every call on `node:diagnostics_channel`: `retry:attempt`, `retry:retry`, `retry:give-up`
 * and `retry:nested`. A message is the event of the hook of that name. Off by default, because every call then needs
 * its `Call` object from the start.
 *
 * @returns a function that ends it
 */
export function publishDiagnostics(): () => void {
  const channels = new Map<string, Channel>(
    Object.entries(NAMES).map(([hook, name]) => [hook, channel(name)]),
  );
  const observe = (hook: keyof RetryHooks, event: CallEvent): void => {
    const target = channels.get(hook);
    if (target?.hasSubscribers) target.publish(copyOf(event));
  };
  observer.observe = observe;
  return () => {
    if (observer.observe === observe) observer.observe = undefined;
  };
}
