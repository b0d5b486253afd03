const ONE_MINUTE_MS = 60_000;

/**
 * Writes errors of a connection to which no `onError` was given as process warnings, one a minute at most: while the
 * server is away there is an error for each try.
 */
export function createConnectionWarning(now: () => number = Date.now): (error: unknown) => void {
  let warnedAt = -Infinity;
  return (error) => {
    if (now() - warnedAt < ONE_MINUTE_MS) return;
    warnedAt = now();
    process.emitWarning(`the connection to Redis failed: ${messageOf(error)}`, {
      type: 'RetryWarning',
      code: 'RETRY_UNHANDLED_ERROR',
      detail: 'It reconnects by itself. Look after the server, or give createRedisBroker an onError.',
    });
  };
}

/** Of several addresses each has an error, and the whole has no message. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
