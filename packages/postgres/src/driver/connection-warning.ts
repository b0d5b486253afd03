import { inspect } from 'node:util';
import { isRetryError } from '@retry/core';

const ONE_MINUTE_MS = 60_000;

/**
 * Returns an `onError` that emits process warnings, at most one a minute: when the server stops, every idle connection fails.
 */
export function createConnectionWarning(
  now: () => number = () => performance.now(),
): (error: unknown) => void {
  return rarely(warnOfError, now);
}

function warnOfError(error: unknown): void {
  const isOwn = isRetryError(error) && error.code === 'FORGETTING_FAILED';
  const what = isOwn ? '' : 'a connection to Postgres failed: ';
  process.emitWarning(`${what}${messageOf(error)}`, {
    type: 'RetryWarning',
    code: 'RETRY_UNHANDLED_ERROR',
    detail: isOwn
      ? 'An onError of createPostgresBroker gets it instead.'
      : 'It is replaced when needed. Check the server, or pass an onError to createPostgresBroker.',
  });
}

/** Returns the same, at most once a minute. */
function rarely(warn: (value: unknown) => void, now: () => number): (value: unknown) => void {
  let warnedAt = -Infinity;
  return (value) => {
    if (now() - warnedAt < ONE_MINUTE_MS) return;
    warnedAt = now();
    warn(value);
  };
}

/** An error of several addresses has no message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns the same without throwing: where a connection emits an error, that would end the process. What it throws is a process
 * warning, at most one a minute, and so is what it rejects with.
 */
export function withoutThrowing(
  onError: (error: unknown) => unknown,
  now: () => number = () => performance.now(),
): (error: unknown) => void {
  const onThrown = rarely(warnOfThrown, now);
  const onRejected = rarely(warnOfThrown, now);
  return (error) => {
    try {
      Promise.resolve(onError(error)).catch(onRejected);
    } catch (thrown) {
      onThrown(thrown);
    }
  };
}

function warnOfThrown(thrown: unknown): void {
  process.emitWarning('the onError of createPostgresBroker threw', {
    type: 'RetryWarning',
    code: 'RETRY_UNHANDLED_ERROR',
    detail: inspect(thrown, { customInspect: false }), // reads what throws when it is read, too
  });
}
