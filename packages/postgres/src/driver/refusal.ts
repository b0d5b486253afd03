import { isRetryError } from '@retry/core';
import { isRefusedInput } from '@retry/core/broker/kit';

/**
 * SQLSTATE classes of errors of the server, a connection or a transaction, and our own class `RT`: the same call may
 * succeed later. Every other class, also one that a trigger of the user raises, is about what was sent.
 */
const TRANSIENT_CLASSES: readonly string[] = [
  ...['08', '25', '26', '28', '3D', '3F', '40', '53', '55', '57', '58', 'F0', 'HV', 'RT'],
];

/** Single states that are transient, too: rights, tables and functions that a migration creates, statement names unknown to a pooler. */
const CURABLE_STATES: readonly string[] = ['42501', '42P01', '42883', '42703', '42704', '42P05'];

/** How many causes are followed: libraries wrap what the driver threw. */
const MAX_CAUSES = 5;

/** Returns whether the same call would be refused again: because of its input, not because of the server's condition. */
export function isRefusal(error: unknown): boolean {
  if (isRefusedInput(error)) return true;
  try {
    const state = isRetryError(error) ? undefined : sqlStateOf(error);
    if (state === undefined) return false;
    return !TRANSIENT_CLASSES.includes(state.slice(0, 2)) && !CURABLE_STATES.includes(state);
  } catch {
    return false; // an error that cannot be read does not blame the input
  }
}

/** Contains a digit: the runtime has codes of five letters, such as EPIPE. */
const SQL_STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** Codes of Prisma's own look like a SQLSTATE, of classes that no server has. */
const PRISMA_CODE = /^P[1-9]\d{3}$/;

/** A code of Prisma for a statement that the server refused has the state in its text. */
const IN_PRISMA_TEXT = /Code: `(\w+)`/;

/** Returns the SQLSTATE of an error of the server, also where a library has wrapped it. */
export function sqlStateOf(error: unknown): string | undefined {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    const state = PRISMA_CODE.test(code) ? IN_PRISMA_TEXT.exec(cause.message)?.[1] : code;
    if (state !== undefined && SQL_STATE.test(state)) return state;
    cause = cause.cause;
  }
  return undefined;
}
