import type { RetryOptions } from './options.ts';

/** Calls a hook. Whatever it throws, or rejects with, is reported and changes nothing. */
export function callHook<Event>(
  hook: ((event: Event) => unknown) | undefined,
  event: Event,
  options: RetryOptions,
): void {
  if (hook === undefined) return;
  try {
    const result = hook(event);
    if (result instanceof Promise) result.catch((error: unknown) => report(error, options));
  } catch (error) {
    report(error, options);
  }
}

function report(error: unknown, { reportError }: RetryOptions): void {
  const { reportError: globalReport } = globalThis as { reportError?: (error: unknown) => void }; // not in Node
  try {
    (reportError ?? globalReport ?? console.error)(error);
  } catch {
    // A reporter that throws has nobody left to tell.
  }
}
