import type { Run } from '../../run.ts';
import { isAttemptError, unpackErrors } from './run-errors.ts';
import type { HistoryField } from './run-fields.ts';
import { fieldsOf, isCount, isPast, RUN_COUNTERS } from './run-fields.ts';

/** Whether a stored value is right. It takes any value. */
export type StoredCheck = (value: unknown) => boolean;

/** The next settlement of the run would be refused again and again with anything else. */
export const HISTORY_CHECKS: Readonly<Record<HistoryField, StoredCheck>> = {
  ...each(RUN_COUNTERS, isCount),
  ...each(fieldsOf('length'), isAmount),
  ...each(fieldsOf('context'), (value) => typeof value === 'string'),
  resetAt: isPast,
  errors: (value) => Array.isArray(value) && value.every(isAttemptError),
};

/**
 * Reads JSON text that a broker has written: the fields that have a check, with errors unpacked. Returns `undefined` for a text that is
 * no object, or has a wrong value.
 */
export function readStored<Key extends keyof Run>(
  text: string,
  checks: Readonly<Record<Key, StoredCheck>>,
): Partial<Pick<Run, Key>> | undefined {
  const stored = parseObject(text);
  if (stored === undefined) return undefined;
  if (Array.isArray(stored['errors'])) stored['errors'] = unpackErrors(stored['errors']);
  for (const key of Object.keys(stored)) {
    if (!Object.hasOwn(checks, key)) delete stored[key];
    else if (!checks[key as Key](stored[key])) return undefined; // its own key
  }
  return stored as Partial<Pick<Run, Key>>; // each key has been checked
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined; // checked just now
  } catch {
    return undefined;
  }
}

function each<Key extends string>(keys: readonly Key[], check: StoredCheck): Record<Key, StoredCheck> {
  return Object.fromEntries(keys.map((key) => [key, check])) as Record<Key, StoredCheck>; // each of them
}

function isAmount(value: unknown): boolean {
  return Number.isFinite(value) && Number(value) >= 0;
}
