import { isRetryError } from '@retry/core';
import { isRefusedInput } from '@retry/core/broker';

/**
 * Classes of what a server says about itself, a connection or a transaction, and what this package says by its own class
 * `RT`: sent again later, the same call may pass. Whatever else a server says, be it by a rule that somebody wrote into
 * the database, is about what was sent.
 */
const PASSING_CLASSES: readonly string[] = [
  ...['08', '25', '26', '28', '3D', '3F', '40', '53', '55', '57', '58', 'F0', 'HV', 'RT'],
];

/** The same for single states: rights, and tables and functions that a migration makes, and what a pooler mixes up. */
const MENDABLE: readonly string[] = ['42501', '42P01', '42883', '42703', '42704', '42P05'];

/** How far causes are followed: libraries wrap what the driver threw. */
const MAX_CAUSES = 5;

/** Whether the same call would be refused for ever: for what it says, not for how the server is at the moment. */
export function isRefusal(error: unknown): boolean {
  if (isRefusedInput(error)) return true;
  try {
    const state = isRetryError(error) ? undefined : sqlStateOf(error);
    return state !== undefined && !PASSING_CLASSES.includes(state.slice(0, 2)) && !MENDABLE.includes(state);
  } catch {
    return false; // what cannot be looked at says nothing about what was sent
  }
}

/** With a digit: the runtime has codes of five letters, such as EPIPE. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** The SQLSTATE of what a server said, if it said it, also beneath the error of a library. */
export function sqlStateOf(error: unknown): string | undefined {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    if ('code' in cause && typeof cause.code === 'string' && SQL_STATE.test(cause.code)) return cause.code;
    cause = cause.cause;
  }
  return undefined;
}
