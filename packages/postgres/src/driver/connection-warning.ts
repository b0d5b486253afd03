const ONE_MINUTE_MS = 60_000;

/**
 * Returns an `onError` that emits process warnings, at most one a minute: when the server stops, every idle connection fails.
 */
export function createConnectionWarning(now: () => number = Date.now): (error: unknown) => void {
  let warnedAt = -Infinity;
  return (error) => {
    if (now() - warnedAt < ONE_MINUTE_MS) return;
    warnedAt = now();
    process.emitWarning(`a connection to Postgres failed: ${messageOf(error)}`, {
      type: 'RetryWarning',
      code: 'RETRY_UNHANDLED_ERROR',
      detail: 'It is replaced when needed. Check the server, or pass an onError to createPostgresBroker.',
    });
  };
}

/** An error of several addresses has no message of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
