import type { Channel } from 'node:diagnostics_channel';
import { channel } from 'node:diagnostics_channel';
import { installed } from '../instruments.ts';
import type { CallEvent, RetryHooks } from '../options.ts';

/** The channel of each event. */
const NAMES: Readonly<Record<keyof RetryHooks, string>> = {
  onAttempt: 'retry:attempt',
  onRetry: 'retry:retry',
  onGiveUp: 'retry:stop',
  onNested: 'retry:nested',
};

/**
 * From now on every call publishes on `node:diagnostics_channel`: `retry:attempt`, `retry:retry`, `retry:stop`
 * and `retry:nested`. A message is the event of the hook of that name. Off until asked for, as every call then has to be watched from its start.
 *
 * @returns how to end it
 */
export function publishDiagnostics(): () => void {
  const channels = new Map<string, Channel>(
    Object.entries(NAMES).map(([hook, name]) => [hook, channel(name)]),
  );
  const observe = (hook: keyof RetryHooks, event: CallEvent): void => {
    const target = channels.get(hook);
    if (target?.hasSubscribers) target.publish({ ...event });
  };
  installed.observe = observe;
  return () => {
    if (installed.observe === observe) installed.observe = undefined;
  };
}
