import { durationCure, durationMs, IS_INSTANT, isInstant } from '../duration.ts';
import type { Problem } from '../errors.ts';
import { tagOf } from '../read.ts';
import { show } from '../show.ts';
import type { KnownKeys } from './cures.ts';
import { cureForKey, POLICY_KEYS, useOneOf } from './cures.ts';
import type { DurationRule, NumberRule, ValueRule } from './value-rules.ts';
import { accepted } from './value-rules.ts';

/** Adds a problem to the error. */
export type Report = (problem: Problem) => void;

/** The values of an object of options. Each reader returns the value of one key, or reports what is wrong with it. */
export interface Fields {
  /** Returns the path of a key, as problems name it. */
  readonly path: (key: string) => string;
  /** Returns what was given, unchecked; `undefined` if nothing was. */
  readonly value: (key: string) => unknown;
  /** Reports a problem of the key's value; with the key `''`, of the object itself, unless it has unknown keys. */
  readonly fail: (key: string, message: string, cure: string) => void;
  /** Returns milliseconds, `Infinity` unless the rule refuses it. What is wrong becomes the fallback, or 0. */
  readonly duration: (key: string, fallback: number | undefined, rule?: DurationRule) => number;
  /** Returns the number, also of the text `'Infinity'`. What is wrong becomes the fallback, or 0. */
  readonly number: (key: string, fallback: number | undefined, rule: NumberRule) => number;
  /** @param cure - where there are more choices than these */
  readonly choice: <T extends string | boolean>(
    key: string,
    fallback: T,
    choices: readonly T[],
    cure?: string,
  ) => T;
  /** Returns the value if the rule accepts it; `undefined` if it is absent or wrong. */
  readonly optional: <T>(key: string, rule: ValueRule<T>) => T | undefined;
}

/** The known keys of an object, and where problems are reported. */
interface Known extends KnownKeys {
  readonly report: Report;
}

/** Reads an object with these keys only; returns `undefined`, after reporting it, for anything but an object. */
export function readFields(input: unknown, at: string, known: Known): Fields | undefined {
  const { keys, report } = known;
  const path = (key: string): string => (at === '' ? key : `${at}.${key}`);
  const values = valuesOf(input, keys, (key, thrown) => report(unreadable(path(key), undefined, thrown)));
  if (values === undefined) {
    report({ path: at, value: input, message: 'must be an object', cure: objectCure(input, keys) });
    return undefined;
  }
  let hasUnknown = false;
  for (const [key, unknown] of values) {
    if (keys.includes(key)) continue;
    hasUnknown = true;
    report(unknownKey({ path: path(key), key, value: unknown }, known));
  }
  const value = (key: string): unknown => values.get(key);
  const fail = (key: string, message: string, cure: string): void => {
    if (key !== '') report({ path: path(key), value: value(key), message, cure });
    // What an object lacks is often what its unknown key was meant to be.
    else if (!hasUnknown) report({ path: at, value: input, message, cure });
  };
  return fieldsOf({ path, value, fail });
}

interface UnknownKey {
  readonly path: string;
  readonly key: string;
  readonly value: unknown;
}

/**
 * Returns the problem of an unknown key, whose cure is looked for when it is read: an error has the first problems only, and there may be
 * very many.
 */
function unknownKey({ path, key, value }: UnknownKey, known: KnownKeys): Problem {
  return {
    ...{ path, value, message: 'is not a known key' },
    get cure() {
      return cureForKey(key, value, known);
    },
  };
}

/**
 * Returns the values that are set in an object of options, each read once; `undefined` for anything but an object, or if
 * reading throws.
 *
 * @param keys - keys that are read even if they are not enumerable. @default those of a policy
 */
export function writtenIn(
  input: unknown,
  keys: readonly string[] = POLICY_KEYS,
): Readonly<Record<string, unknown>> | undefined {
  let isReadable = true;
  const values = valuesOf(input, keys, () => {
    isReadable = false;
  });
  if (values === undefined || !isReadable) return undefined;
  return Object.fromEntries([...values].filter(([, value]) => value !== undefined));
}

function objectCure(input: unknown, keys: readonly string[]): string {
  const isCount = keys.includes('maxAttempts') && Number.isInteger(input) && Number(input) > 0;
  const meant = isCount ? `Use { maxAttempts: ${input} }. ` : '';
  return `${tagOf(input) === '[object Promise]' ? 'Await it first. ' : meant}Its keys are ${[...new Set(keys)].join(', ')}.`;
}

/** Returns the value of each key, read once, because a getter may return another value the next time. */
function valuesOf(
  input: unknown,
  keys: readonly string[],
  onThrow: (key: string, thrown: unknown) => void,
): ReadonlyMap<string, unknown> | undefined {
  const names = namesOf(input, keys);
  if (names === undefined) return undefined;
  const values = new Map<string, unknown>();
  for (const name of names) {
    try {
      const value: unknown = Reflect.get(Object(input), name);
      Array.isArray(value); // throws for a revoked Proxy, as any later use of it would
      values.set(String(name), value);
    } catch (thrown) {
      onThrow(String(name), thrown);
    }
  }
  return values;
}

/** The limit of a prototype chain: a Proxy may be its own prototype. */
const MAX_LEVELS = 100;

/** Returns the keys of an object of options, including inherited ones; `undefined` for anything else. */
function namesOf(input: unknown, keys: readonly string[]): ReadonlySet<PropertyKey> | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  try {
    if (!isOptionsObject(input)) return undefined;
    const names = new Set<PropertyKey>();
    let level: object | null = input;
    for (let depth = 0; level !== null && depth < MAX_LEVELS; depth += 1) {
      const next: object | null = Object.getPrototypeOf(level);
      // `Object.prototype` has no options.
      if (next === null && depth > 0) break;
      for (const name of Reflect.ownKeys(level)) {
        // An inherited enumerable function is a method of a pre-ES2015 class.
        const { enumerable, value } = Object.getOwnPropertyDescriptor(level, name) ?? {};
        const isOption = enumerable === true && (depth === 0 || typeof value !== 'function');
        if (isOption || (typeof name === 'string' && keys.includes(name))) names.add(name);
      }
      level = next;
    }
    return names;
  } catch {
    return undefined;
  }
}

/** Returns whether the value is an object of options: not a list, Map, Date or Error, which do not hold keys. */
export function isOptionsObject(value: object): boolean {
  const tag = tagOf(value);
  return (tag === '[object Object]' || tag === '[object Module]') && !(Symbol.iterator in value);
}

function fieldsOf(read: Pick<Fields, 'path' | 'value' | 'fail'>): Fields {
  const { value, fail } = read;
  const valueOr = (key: string, fallback: unknown): unknown =>
    value(key) === undefined ? fallback : value(key);
  return {
    ...read,
    duration: (key, fallback, { finite = false, fromNow = false, accepts = () => true, message } = {}) => {
      const given = valueOr(key, fallback);
      const ms = durationMs(given);
      if (fromNow && isInstant(given)) {
        fail(key, IS_INSTANT.message, IS_INSTANT.cure);
        return fallback ?? 0;
      }
      const isRight = (some: number): boolean => !(finite && some === Infinity) && accepts(some);
      if (ms !== undefined && isRight(ms)) return ms;
      const cure = durationCure(ms === undefined ? given : undefined, isRight);
      fail(key, message ?? `must be a ${finite ? 'finite ' : ''}duration ≥ 0`, cure);
      return fallback ?? 0;
    },
    number: (key, fallback, { accepts, message, cure }) => {
      const given = valueOr(key, fallback);
      const count = given === 'Infinity' ? Infinity : given;
      if (typeof count === 'number' && accepts(count)) return count;
      fail(key, message, cure);
      return fallback ?? 0;
    },
    choice: (key, fallback, choices, cure = useOneOf(choices)) => {
      const chosen = choices.find((choice) => choice === valueOr(key, fallback));
      if (chosen === undefined) fail(key, 'is not one of the choices', cure);
      return chosen ?? fallback;
    },
    optional: <Accepted>(key: string, { accepts, message, cure }: ValueRule<Accepted>) => {
      const given = value(key);
      if (given === undefined || accepted(accepts, given)) return given as Accepted; // just accepted by the rule
      fail(key, message, cure);
      return undefined;
    },
  };
}

/** Returns the problem of a value that throws when it is read. */
export function unreadable(path: string, value: unknown, thrown: unknown): Problem {
  const cure = `Reading it threw ${show(thrown)}: use plain values.`;
  return { path, value, message: 'cannot be read', cure };
}
