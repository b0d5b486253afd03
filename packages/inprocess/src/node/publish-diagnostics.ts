import type { Channel } from 'node:diagnostics_channel';
import { channel } from 'node:diagnostics_channel';
import type { ObservedCall } from '../instruments.ts';
import { installed } from '../instruments.ts';
import type { RetryHooks } from '../options.ts';

/** The channel of each event. */
const NAMES: Readonly<Record<keyof RetryHooks, string>> = {
  onAttempt: 'retry:attempt',
  onRetry: 'retry:retry',
  onStop: 'retry:stop',
  onNested: 'retry:nested',
};

/**
 * From now on every call publishes on `node:diagnostics_channel`: `retry:attempt`, `retry:retry`, `retry:stop`
 * and `retry:nested`. A message is the event of the hook of that name, with the call's `id` and the function's
 * `name`. Off until asked for, as every call then has to be watched from its start.
 *
 * @returns how to end it
 */
export function publishDiagnostics(): () => void {
  const channels = new Map<string, Channel>(
    Object.entries(NAMES).map(([hook, name]) => [hook, channel(name)]),
  );
  const observe = (hook: keyof RetryHooks, event: object, { id, name }: ObservedCall): void => {
    const target = channels.get(hook);
    if (target?.hasSubscribers) target.publish({ id, name, ...event });
  };
  installed.observe = observe;
  return () => {
    if (installed.observe === observe) installed.observe = undefined;
  };
}
