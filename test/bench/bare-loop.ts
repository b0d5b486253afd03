/** One failed attempt, as the history of a call keeps it. */
interface Failed {
  readonly attempt: number;
  readonly error: unknown;
  readonly failedAt: number;
  readonly delayMs: number | undefined;
  readonly previous: Failed | undefined;
}

/** What an error may have that asks for a delay, or forbids the retry. */
interface Asking {
  readonly retryable?: unknown;
  readonly retryAfterMs?: unknown;
  readonly headers?: { readonly get: (name: string) => string | null };
  readonly response?: { readonly headers: { readonly get: (name: string) => string | null } };
  readonly cause?: unknown;
}

const ORIGIN_AT = Date.now() - performance.now();

const histories = new WeakMap<object, Failed>();

/**
 * The least that a loop of one's own does for what `withRetry` promises where no option is given: errors may forbid the retry or
 * ask for a delay, by a mark or as a response does; the history of a call that fails is kept beside its error; a function that
 * fails at once lets others have their turn. It has no matchers, jitter, caps, timeouts, signals and hooks.
 */
export function bareLoop(
  fn: () => Promise<unknown>,
  { retries, delayMs }: { readonly retries: number; readonly delayMs: number },
): () => Promise<unknown> {
  return async () => {
    let latest: Failed | undefined;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await fn();
      } catch (error) {
        const waitMs = attempt > retries ? undefined : waitOf(error, delayMs);
        latest = {
          attempt,
          error,
          failedAt: ORIGIN_AT + performance.now(),
          delayMs: waitMs,
          previous: latest,
        };
        if (waitMs === undefined) throw remember(error, latest);
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        else if (attempt % 16 === 0) await new Promise((resolve) => setImmediate(resolve));
      }
    }
  };
}

/** Returns how long to wait before the retry; `undefined` if the error forbids it. */
function waitOf(error: unknown, delayMs: number): number | undefined {
  if (typeof error !== 'object' || error === null) return delayMs;
  const { retryable, retryAfterMs, headers, response, cause } = error as Asking; // an object may have any property
  if (retryable === false) return undefined;
  if ((retryAfterMs ?? headers ?? response ?? cause) === undefined) return delayMs;
  const seconds = (headers ?? response?.headers)?.get('retry-after') ?? 0;
  return Math.max(delayMs, Number(retryAfterMs ?? 0), Number(seconds) * 1_000);
}

function remember(error: unknown, latest: Failed): unknown {
  if (typeof error === 'object' && error !== null) histories.set(error, latest);
  return error;
}
