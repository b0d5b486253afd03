import { installed } from './instruments.ts';
import type { RetryHooks, RetryOptions } from './options.ts';
import { report } from './report-error.ts';

/** Calls a hook. Whatever it throws, or rejects with, is reported and changes nothing. */
export function callHook<Event>(
  hook: ((event: Event) => unknown) | undefined,
  event: Event,
  reporter?: (error: unknown) => unknown,
): void {
  if (hook === undefined) return;
  try {
    const answer = hook(event);
    if (answer === undefined) return;
    // A promise may be of another realm, so whatever it is is asked to settle.
    Promise.resolve(answer).catch((error: unknown) => report(error, reporter));
  } catch (error) {
    report(error, reporter);
  }
}

/** Whether anybody would be told: an event that nobody hears need not be made. */
export function isHeard(name: keyof RetryHooks, options: RetryHooks): boolean {
  return options[name] !== undefined || installed.observe !== undefined;
}

/** Calls the call's own hook with the event, then whatever observes all calls. */
export function tell<Name extends keyof RetryHooks>(
  name: Name,
  event: Parameters<NonNullable<RetryHooks[Name]>>[0],
  { options }: { readonly options: RetryOptions<never> },
): void {
  callHook(options[name] as ((event: unknown) => unknown) | undefined, event, options.reportError); // same name
  const { observe } = installed;
  if (observe !== undefined) callHook(() => observe(name, event), undefined, options.reportError);
}
