import { parseDuration } from '../duration.ts';
import type { Problem } from '../errors.ts';
import { cureForKey } from './cures.ts';

/** Collects one problem. */
export type Report = (problem: Problem) => void;

/** A plain object under reading: each method takes one key and reports what is wrong with its value. */
export interface Fields {
  readonly path: (key: string) => string;
  readonly value: (key: string) => unknown;
  readonly fail: (key: string, message: string, cure: string) => void;
  readonly duration: (key: string, fallback: number | undefined, rule?: DurationRule) => number;
  readonly number: (key: string, fallback: number | undefined, rule: NumberRule) => number;
  readonly choice: <T extends string | boolean>(key: string, fallback: T, choices: readonly T[]) => T;
}

interface DurationRule {
  /** Whether `Infinity` is a length of time here. */
  readonly finite?: boolean;
  readonly accepts?: (ms: number) => boolean;
  readonly message?: string;
}

interface NumberRule {
  readonly accepts: (value: number) => boolean;
  readonly message: string;
  readonly cure: string;
}

const DURATION_CURE = "Use milliseconds or text like '500ms', '2s', '5m'.";

/** Reads `input` as an object with these keys only; `undefined` (and one problem) when it is no object. */
export function readFields(
  input: unknown,
  at: string,
  { keys, report }: { readonly keys: readonly string[]; readonly report: Report },
): Fields | undefined {
  if (!isPlainObject(input)) {
    report({
      path: at,
      value: input,
      message: 'must be an object',
      cure: `Its keys are ${keys.join(', ')}.`,
    });
    return undefined;
  }
  const path = (key: string): string => (at === '' ? key : `${at}.${key}`);
  for (const key of Object.keys(input)) {
    if (keys.includes(key)) continue;
    const value = input[key];
    report({ path: path(key), value, message: 'is not a known key', cure: cureForKey(key, value, keys) });
  }
  return fieldsOf(input, path, report);
}

function fieldsOf(
  input: Readonly<Record<string, unknown>>,
  path: (key: string) => string,
  report: Report,
): Fields {
  const value = (key: string): unknown => (Object.hasOwn(input, key) ? input[key] : undefined);
  const fail = (key: string, message: string, cure: string): void => {
    report({ path: path(key), value: value(key), message, cure });
  };
  return {
    path,
    value,
    fail,
    duration: (key, fallback, { finite = false, accepts = () => true, message } = {}) => {
      const given = value(key);
      const ms = given === undefined ? fallback : parseDuration(given);
      if (ms !== undefined && !(finite && ms === Infinity) && accepts(ms)) return ms;
      fail(key, message ?? `must be a ${finite ? 'finite ' : ''}duration ≥ 0`, DURATION_CURE);
      return fallback ?? 0;
    },
    number: (key, fallback, { accepts, message, cure }) => {
      const given = value(key) === undefined ? fallback : value(key);
      const count = given === 'Infinity' ? Infinity : given;
      if (typeof count === 'number' && accepts(count)) return count;
      fail(key, message, cure);
      return fallback ?? 0;
    },
    choice: (key, fallback, choices) => {
      const given = value(key);
      const chosen = given === undefined ? fallback : choices.find((choice) => choice === given);
      if (chosen !== undefined) return chosen;
      fail(key, 'is not one of the choices', `Use one of ${choices.join(', ')}.`);
      return fallback;
    },
  };
}

/** Anything with keys of its own to read; not a list or a Map, whose content would be overlooked. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(Symbol.iterator in value);
}
