import type { Duration } from './duration.ts';
import { durationCure, durationMs, formatDuration, IS_INSTANT, isInstant } from './duration.ts';
import { InvalidOptionsError, RetryError } from './errors.ts';
import { read } from './read.ts';

const NON_RETRYABLE: unique symbol = Symbol.for('@retry/non-retryable');

/** Marks an error that asks for a delay, also one of another copy of the package. */
export const RETRY_AFTER: unique symbol = Symbol.for('@retry/retry-after');

/** Marks the error of a call that was cut because the attempt around it had no time left, with that attempt. */
const CUT_FOR: unique symbol = Symbol.for('@retry/cut-for');

/** Throw this error or a subclass of it to end the retrying immediately, whatever the policy is. */
export class NonRetryableError extends RetryError<'NON_RETRYABLE'> {
  override readonly name: string = 'NonRetryableError';

  constructor(message: string, options?: ErrorOptions) {
    super('NON_RETRYABLE', message, options);
    Object.defineProperty(this, NON_RETRYABLE, { value: true });
  }
}

/** Throw this error to ask for at least this delay before the next attempt, as a server's `Retry-After` does. */
export class RetryAfterError extends RetryError<'RETRY_AFTER'> {
  override readonly name: string = 'RetryAfterError';
  /** The requested delay in milliseconds, `0 ≤ delayMs`. */
  readonly delayMs: number;

  /**
   * @param delay - from now on, a number in milliseconds: of a header in seconds `seconds * 1_000`, of an instant `at - Date.now()`.
   * One in epoch seconds reads as a delay of some 20 days, which ends the retrying where `retryAfter.max` is less.
   * @throws {InvalidOptionsError} when `delay` is not a duration ≥ 0, or an instant in epoch milliseconds (1e12 ≤ delay < 1e13)
   */
  constructor(delay: Duration, message?: string, options?: ErrorOptions) {
    const delayMs = durationMs(delay);
    if (delayMs === undefined || isInstant(delay)) {
      const wrong = { message: 'must be a duration ≥ 0', cure: durationCure(delay) };
      const problem = { path: 'delay', value: delay, ...(delayMs === undefined ? wrong : IS_INSTANT) };
      throw new InvalidOptionsError([problem], 'RetryAfterError');
    }
    super('RETRY_AFTER', message ?? `retry after ${formatDuration(delayMs)}`, options);
    this.delayMs = delayMs;
    Object.defineProperty(this, RETRY_AFTER, { value: true });
  }
}

/** An attempt exceeded the policy's `attemptTimeout`. An expected error, unless the policy has `retryTimeouts: false`. */
export class AttemptTimeoutError extends RetryError<'ATTEMPT_TIMEOUT'> {
  override readonly name: string = 'AttemptTimeoutError';
  /** The attempt timeout, in milliseconds. */
  readonly timeoutMs: number;

  /** @param attempt - the attempt that was ended, counted from 1 */
  constructor(timeoutMs: number, attempt: number) {
    super('ATTEMPT_TIMEOUT', `attempt ${attempt} took longer than ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/**
 * An attempt was ended because the policy's `totalTimeout`, the limit of all attempts and waits together, was reached; or the
 * `initialDelay` left no time for one.
 */
export class TotalTimeoutError extends RetryError<'TOTAL_TIMEOUT'> {
  override readonly name: string = 'TotalTimeoutError';
  /** The total timeout, in milliseconds. */
  readonly timeoutMs: number;

  /** @param attempt - the attempt that was ended, counted from 1; 0 if none could start */
  constructor(timeoutMs: number, attempt: number) {
    super(
      'TOTAL_TIMEOUT',
      attempt === 0
        ? `the initialDelay left no time for an attempt within ${timeoutMs} ms`
        : `attempt ${attempt} was cut, as all attempts and waits together took longer than ${timeoutMs} ms`,
    );
    this.timeoutMs = timeoutMs;
  }
}

/**
 * Returns whether the value is a {@link NonRetryableError}, also one of another copy of the package.
 *
 * Every failure passes here: reading one key takes half the time of `read`, which engines compile for any key.
 */
export function isNonRetryable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  try {
    return (error as { readonly [NON_RETRYABLE]?: unknown })[NON_RETRYABLE] === true; // an object may have any property
  } catch {
    return false;
  }
}

/** Returns the delay in milliseconds that a {@link RetryAfterError} asks for; `undefined` for any other error. */
export function askedDelayMs(error: unknown): number | undefined {
  const delayMs = read(error, RETRY_AFTER) === true ? read(error, 'delayMs') : undefined;
  return typeof delayMs === 'number' && delayMs >= 0 ? delayMs : undefined;
}

/** Marks the error of a call that was cut because this attempt, around it, had no time left. */
export function markCutFor(error: TotalTimeoutError, attempt: object): void {
  Object.defineProperty(error, CUT_FOR, { value: attempt });
}

/** Returns whether the error is that of a call which was cut because this attempt had no time left. Never throws. */
export function wasCutFor(error: unknown, attempt: object): boolean {
  return read(error, CUT_FOR) === attempt;
}
