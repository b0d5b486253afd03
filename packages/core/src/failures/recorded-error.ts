import type { Failure, ServerDelay } from '../decision/decision.ts';
import { NonRetryableError } from '../markers.ts';
import type { RecordedAttempt } from './recorded-attempt.ts';

/** Names under which values are recorded that are no errors: their types. */
const PRIMITIVES: readonly string[] = [
  ...['string', 'undefined', 'number', 'bigint', 'boolean', 'symbol', 'function'],
];

/** Returns the failure of a recorded attempt, for `decide`. */
export function failureOf(attempt: RecordedAttempt): Failure {
  return {
    error: errorOf(attempt),
    serverDelay: serverDelayOf(attempt),
    timedOut: attempt.name === 'AttemptTimeoutError',
  };
}

/**
 * Returns an error with the recorded facts. It is an instance of `Error` and of no other class, but matches the class of its
 * name, as an error of another copy of a package does.
 */
export function errorOf(attempt: RecordedAttempt): unknown {
  const { name, message, code, causeCode, status } = attempt;
  if (name === 'string') return message;
  if (isPrimitive(attempt)) return undefined;
  const facts = {
    ...(code !== undefined && { code }),
    ...(status !== undefined && { status }),
    ...(causeCode !== undefined && { cause: { code: causeCode } }),
    ...headersOf(attempt),
  };
  if (name === 'object') return facts;
  if (forbidsRetry(attempt)) return Object.assign(new NonRetryableError(message), { name, ...facts });
  return Object.assign(Object.create(prototypeNamed(name)), { name, message, ...facts });
}

/** Returns whether the recorded value was no object: it has no class, no causes and no properties. */
export function isPrimitive({ name }: RecordedAttempt): boolean {
  return PRIMITIVES.includes(name);
}

/** Returns whether the recorded error was a `NonRetryableError`, or one of its subclasses. */
export function forbidsRetry({ name, code }: RecordedAttempt): boolean {
  return name === 'NonRetryableError' || code === 'NON_RETRYABLE';
}

/** Returns headers by which patterns with `retryAfter` match. */
function headersOf({ retryAfterMs }: RecordedAttempt): object {
  return typeof retryAfterMs === 'number' ? { headers: { 'retry-after-ms': String(retryAfterMs) } } : {};
}

function serverDelayOf({ retryAfterMs }: RecordedAttempt): ServerDelay {
  if (retryAfterMs === 'refused') return { type: 'refused' };
  return retryAfterMs === undefined ? { type: 'absent' } : { type: 'delay', delayMs: retryAfterMs };
}

function prototypeNamed(name: string): object {
  const named = Object.defineProperty(() => {}, 'name', { value: name });
  return Object.create(Error.prototype, { constructor: { value: named } });
}
