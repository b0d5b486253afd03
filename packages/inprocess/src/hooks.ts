import type { RetryOptions } from './options.ts';

/** Calls a hook. Whatever it throws, or rejects with, is reported and changes nothing. */
export function callHook<Event>(
  hook: ((event: Event) => unknown) | undefined,
  event: Event,
  options: RetryOptions,
): void {
  if (hook === undefined) return;
  try {
    // A promise may be of another realm, so whatever it is is asked to settle.
    Promise.resolve(hook(event)).catch((error: unknown) => report(error, options));
  } catch (error) {
    report(error, options);
  }
}

function report(error: unknown, { reportError }: RetryOptions): void {
  const { reportError: globalReport } = globalThis as { reportError?: (error: unknown) => void }; // not in Node
  try {
    // A reporter that throws, or rejects, has nobody left to tell.
    Promise.resolve((reportError ?? globalReport ?? console.error)(error)).catch(ignore);
  } catch {
    ignore();
  }
}

function ignore(): void {}
