import { read } from './read.ts';
import { show } from './show.ts';

/** Stable machine-readable names of every error this project throws. */
export type RetryErrorCode =
  | 'INVALID_POLICY'
  | 'NON_RETRYABLE'
  | 'RETRY_AFTER'
  | 'ATTEMPT_TIMEOUT'
  | 'ASYNC_GATE'
  | 'INVALID_PAYLOAD'
  | 'CANCELLED'
  | 'SHUTDOWN'
  | 'LEASE_LOST'
  | 'STALLED'
  | 'RUN_FAILED'
  | 'BROKER_CLOSED'
  | 'INVALID_SETTLEMENT'
  | 'INVALID_OPTIONS'
  | 'NO_DRIVER'
  | 'REDIS_TOO_OLD'
  | 'REDIS_MAY_EVICT'
  | 'REDIS_CANNOT_WAIT'
  | 'REDIS_NOT_DURABLE'
  | 'NEEDS_ONE_PARTITION'
  | 'NEWER_SCHEMA'
  | 'OLDER_SCHEMA'
  | 'UNKEEPABLE_TEXT';

const BRAND: unique symbol = Symbol.for('@retry/error');

/** Base of every error this project throws; `code` is stable, `message` is for people. */
export class RetryError extends Error {
  override readonly name: string = 'RetryError';
  readonly code: RetryErrorCode;

  constructor(code: RetryErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Whether `error` was made by this project, whichever copy of the package made it.
 *
 * @param code - when given, only errors of that code
 */
export function isRetryError(error: unknown, code?: RetryErrorCode): error is RetryError {
  return read(error, BRAND) === true && (code === undefined || read(error, 'code') === code);
}

/** One thing that is wrong with a policy: where it stands, what was seen, what to write instead. */
export interface Problem {
  /** Where, as it would be written in code: `backoff.base`, `retryOn[2].code`; `''` is the whole. */
  readonly path: string;
  readonly value: unknown;
  /** What it has to be: `must be an integer ≥ 1`. */
  readonly message: string;
  readonly cure: string;
}

/** An invalid policy. `problems` lists everything that is wrong, not only the first thing. */
export class PolicyError extends RetryError {
  override readonly name: string = 'PolicyError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super('INVALID_POLICY', ['invalid policy', ...problems.map(problemLine)].join('\n- '));
    this.problems = problems;
  }
}

function problemLine({ path, value, message, cure }: Problem): string {
  return `${path === '' ? 'the policy' : path} ${message}, got ${show(value)}. ${cure}`;
}
