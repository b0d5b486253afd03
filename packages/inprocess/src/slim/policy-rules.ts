import type { Backoff, ErrorPattern, PolicySettings } from '@retry/core/fields';
import { CAPS, isListOf, isRegExp, isSynchronous, JITTER_NAMES, RETRY_AFTER_MODES } from '@retry/core/fields';
import { basePolicy } from './base-policy.ts';

/**
 * What a value must be: accepted by a function, one of a list, an object with these keys and no others; for a number, any
 * number ≥ 0; for `true` or `false`, either; else the same. Written as samples, because slim has to be small.
 */
type Wanted =
  | ((value: unknown) => boolean)
  | readonly Wanted[]
  | Keys
  | string
  | number
  | boolean
  | undefined;

interface Keys {
  readonly [key: string]: Wanted;
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isNumber = (value: unknown): boolean => typeof value === 'number';

/** One or more of them in a list. */
const someOf =
  (wanted: Wanted) =>
  (value: unknown): boolean =>
    isListOf(value, (one) => isWanted(one, wanted)) && value.length > 0;

const PATTERN: Readonly<Record<keyof ErrorPattern, Wanted>> = {
  name: [undefined, isText, someOf(isText)],
  code: [undefined, isText, isNumber, someOf([isText, isNumber])],
  status: [undefined, isNumber, someOf(isNumber)],
  // One with a state would not match the same error twice in a row.
  message: [undefined, isText, (value) => isRegExp(value) && !value.global],
  retryAfter: (value) => value === undefined || value === true,
  cause: [undefined, isMatcher],
};

const BASE = { baseMs: 0 };

const BACKOFFS: Readonly<Record<Backoff['type'], Keys>> = {
  none: {},
  constant: BASE,
  linear: { ...BASE, incrementMs: 0 },
  exponential: { ...BASE, factor: 0 },
  fibonacci: BASE,
  decorrelated: BASE,
  list: { delaysMs: someOf(0) },
  custom: { ...BASE, next: isSynchronous, name: [undefined, isText], create: [undefined, isSynchronous] },
};

/** The other keys are numbers and truth values, of which the base policy has samples. */
const POLICY: Readonly<Record<keyof PolicySettings, Wanted>> = {
  ...(basePolicy as Omit<PolicySettings, ReadKey>), // the keys below replace the others
  backoff: Object.entries(BACKOFFS).map(([type, keys]) => ({ ...keys, type })),
  jitter: [...JITTER_NAMES, { proportional: 0 }, { down: 0 }, { plusMinusMs: 0 }],
  capAt: CAPS,
  retryOn: ['everything', 'nothing', someOf(isMatcher)],
  stopOn: (value) => isListOf(value, isMatcher),
  retryIf: [undefined, { name: [undefined, isText], test: isSynchronous }],
  retryAfter: { maxMs: 0, mode: RETRY_AFTER_MODES },
};

type ReadKey = 'backoff' | 'jitter' | 'capAt' | 'retryOn' | 'stopOn' | 'retryIf' | 'retryAfter';

/** Every key without a value, so that a missing one is found wrong, too. */
export const NO_POLICY: object = Object.fromEntries(Object.keys(basePolicy).map((key) => [key, undefined]));

/** Returns whether a policy may have this value: names, kinds and shapes, and no negative number. */
export function isPolicyValue(value: unknown, key: string): boolean {
  try {
    return Object.hasOwn(POLICY, key) && isWanted(value, POLICY[key as keyof PolicySettings]); // it is one of them
  } catch {
    return false; // it contains itself, or cannot be read
  }
}

/** A pattern without fields would match every error. */
function isMatcher(value: unknown): boolean {
  const hasFields = Object.values(Object(value)).some((field) => field !== undefined);
  return isSynchronous(value) || (hasFields && isWanted(value, PATTERN));
}

function isWanted(value: unknown, wanted: Wanted): boolean {
  if (typeof wanted === 'function') return wanted(value);
  if (typeof wanted === 'number') return isNumber(value) && Number(value) >= 0;
  if (typeof wanted === 'boolean') return typeof value === 'boolean';
  if (wanted !== Object(wanted)) return value === wanted;
  if (Array.isArray(wanted)) return wanted.some((one) => isWanted(value, one));
  const keys = wanted as Keys; // nothing else is left
  return (
    value === Object(value) &&
    Object.keys({ ...keys, ...Object(value) }).every(
      (key) => Object.hasOwn(keys, key) && isWanted(Reflect.get(Object(value), key), keys[key]),
    )
  );
}
