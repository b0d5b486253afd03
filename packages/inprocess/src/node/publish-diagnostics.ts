import type { Channel } from 'node:diagnostics_channel';
import { channel } from 'node:diagnostics_channel';
import type { CallEvent, RetryHooks } from '../call/events.ts';
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
  },
  off: () => {
    observer.observe = undefined;
  },
});

/**
 * Publishes the events of every call on `node:diagnostics_channel`: `retry:attempt`, `retry:retry`, `retry:give-up`
 * and `retry:nested`, and `retry:success`. A message is the event of the hook of that name, and of a success a `SuccessEvent`. Off by default, because every call then needs
 * its `Call` object from the start.
 *
 * @returns a function that ends it, unless another caller of this function has not ended it yet
 */
export function publishDiagnostics(): () => void {
  return turnOn();
}

function publish(hook: keyof RetryHooks | 'success', event: CallEvent): void {
  const { [hook]: target } = CHANNELS;
  if (target.hasSubscribers) target.publish(copyOf(event));
}

/** Copies an event without reading its id: one that is drawn from the caller's `random` is drawn for who reads it. */
function copyOf(event: CallEvent): unknown {
  return Object.defineProperties({}, Object.getOwnPropertyDescriptors(event));
}
