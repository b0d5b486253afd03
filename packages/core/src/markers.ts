import type { Duration } from './duration.ts';
import { parseDuration } from './duration.ts';
import { InvalidOptionsError, RetryError } from './errors.ts';
import { read } from './read.ts';

const NON_RETRYABLE: unique symbol = Symbol.for('@retry/non-retryable');
const RETRY_AFTER: unique symbol = Symbol.for('@retry/retry-after');

/** Throw it, or an error that has it as its class, to stop retrying at once whatever the policy says. */
export class NonRetryableError extends RetryError {
  override readonly name: string = 'NonRetryableError';

  constructor(message: string, options?: ErrorOptions) {
    super('NON_RETRYABLE', message, options);
    Object.defineProperty(this, NON_RETRYABLE, { value: true });
  }
}

/** Throw it to ask for at least this delay before the next attempt, as a server does by `Retry-After`. */
export class RetryAfterError extends RetryError {
  override readonly name: string = 'RetryAfterError';
  /** Asked delay in milliseconds, `0 ≤ delayMs`. */
  readonly delayMs: number;

  /** @throws {InvalidOptionsError} when `delay` is not a duration ≥ 0 */
  constructor(delay: Duration, message?: string, options?: ErrorOptions) {
    const delayMs = parseDuration(delay);
    if (delayMs === undefined) {
      const cure = "Use milliseconds or '30s'.";
      const problem = { path: 'delay', value: delay, message: 'must be a duration ≥ 0', cure };
      throw new InvalidOptionsError([problem], 'RetryAfterError');
    }
    super('RETRY_AFTER', message ?? `retry after ${delayMs} ms`, options);
    this.delayMs = delayMs;
    Object.defineProperty(this, RETRY_AFTER, { value: true });
  }
}

/** An attempt ran longer than the policy's `attemptTimeout`. Policies expect it, unless they say `retryTimeouts: false`. */
export class AttemptTimeoutError extends RetryError {
  override readonly name: string = 'AttemptTimeoutError';
  readonly timeoutMs: number;

  constructor(timeoutMs: number, attempt: number) {
    super('ATTEMPT_TIMEOUT', `attempt ${attempt} took longer than ${timeoutMs} ms`);
    this.timeoutMs = timeoutMs;
  }
}

/** An attempt was cut because the policy's `totalTimeout`, the time of all attempts and waits together, was over. */
export class TotalTimeoutError extends RetryError {
  override readonly name: string = 'TotalTimeoutError';
  /** The whole time that there was. */
  readonly timeoutMs: number;

  /** @param attempt - the attempt that was cut, counted from 1 */
  constructor(timeoutMs: number, attempt: number) {
    super(
      'TOTAL_TIMEOUT',
      `attempt ${attempt} was cut, as all attempts and waits together took longer than ${timeoutMs} ms`,
    );
    this.timeoutMs = timeoutMs;
  }
}

/** Whether `error` carries the mark of {@link NonRetryableError}, whichever copy of the package made it. */
export function isNonRetryable(error: unknown): boolean {
  return read(error, NON_RETRYABLE) === true;
}

/** The delay in milliseconds that a {@link RetryAfterError} asks for; `undefined` for any other error. */
export function askedDelayMs(error: unknown): number | undefined {
  const delayMs = read(error, RETRY_AFTER) === true ? read(error, 'delayMs') : undefined;
  return typeof delayMs === 'number' && delayMs >= 0 ? delayMs : undefined;
}
