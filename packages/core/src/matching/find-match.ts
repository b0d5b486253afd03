import { NO_CLOCK } from '../decision/parse-server-delay.ts';
import { readServerDelay } from '../decision/read-server-delay.ts';
import { read } from '../read.ts';
import { isYes } from './answer.ts';
import { causesOf } from './causes.ts';
import { matchesGlob } from './glob.ts';
import type { ErrorClass, ErrorPattern, Matcher, MessageGlob, Predicate } from './matcher.ts';
import { hasLabel, saysRetryable } from './retry-hints.ts';
import { statusOf } from './status-of.ts';

/** The characters of a message that are matched. */
const MAX_MESSAGE_LENGTH = 4_096;

/** The limit of a prototype chain: a Proxy can make it endless. */
const MAX_LINKS = 100;

/** Returns whether a matcher that has been checked matches a thrown value. Throws only what a predicate throws. */
export function matches(matcher: Matcher, error: unknown): boolean {
  return matchesOnce(matcher, error, {});
}

/** What is known while one error is matched. */
interface Search {
  /** The causes of errors that were asked for. */
  causes?: Map<unknown, readonly unknown[]>;
  /** The statuses of errors that were asked for. */
  statuses?: Map<unknown, number | undefined>;
  /** Whether patterns inside of patterns match errors, where they have matchers inside themselves. */
  answers?: Map<ErrorPattern, Map<unknown, boolean>>;
}

/** Matches as `matches` does. */
function matchesOnce(matcher: Matcher, error: unknown, search: Search): boolean {
  if (typeof matcher !== 'function') return matchesPattern(matcher, error, search);
  return isErrorClass(matcher) ? isOfClass(error, matcher) : isYes(matcher(error));
}

/**
 * Matches a matcher inside a pattern. One that has matchers inside itself is tried once for each error: otherwise a chain of causes
 * would be walked again from each of its errors, for each level of patterns.
 */
function matchesInner(matcher: Matcher, error: unknown, search: Search): boolean {
  if (typeof matcher === 'function' || !hasMatchers(matcher)) return matchesOnce(matcher, error, search);
  search.answers ??= new Map();
  const answers = search.answers.get(matcher) ?? new Map<unknown, boolean>();
  search.answers.set(matcher, answers);
  const answer = answers.get(error) ?? matchesOnce(matcher, error, search);
  answers.set(error, answer);
  return answer;
}

function hasMatchers({ cause, anywhere, unless }: ErrorPattern): boolean {
  return cause !== undefined || anywhere !== undefined || unless !== undefined;
}

/** Returns the index of the first matcher that matches; -1 if none does. */
export function findMatch(matchers: readonly Matcher[], error: unknown): number {
  const search: Search = {};
  for (let index = 0; index < matchers.length; index += 1) {
    const matcher = matchers[index];
    if (matcher !== undefined && matchesOnce(matcher, error, search)) return index;
  }
  return -1;
}

/**
 * Returns whether a function is a class: arrows have no prototype, that of an error class has a `message`, and of the functions of a
 * runtime only constructors have one.
 */
export function isErrorClass(matcher: ErrorClass | Predicate): matcher is ErrorClass {
  const prototype: unknown = matcher.prototype;
  if (typeof prototype !== 'object' || prototype === null) return false;
  return 'message' in prototype || /^class\b|\{\s*\[native code\]\s*\}$/.test(`${matcher}`);
}

function isOfClass(error: unknown, errorClass: ErrorClass): boolean {
  return isInstance(error, errorClass) || hasClassNamed(error, errorClass.name);
}

/** Returns `false` if the prototype of the value cannot be read. */
function isInstance(error: unknown, errorClass: ErrorClass): boolean {
  try {
    return error instanceof errorClass;
  } catch {
    return false;
  }
}

function matchesPattern(pattern: ErrorPattern, error: unknown, search: Search): boolean {
  const { name, code, status, message, retryAfter, cause } = pattern;
  if (name !== undefined && !anyOf(name, (wanted) => isNamed(error, wanted))) return false;
  if (code !== undefined && !hasCode(code, error)) return false;
  if (status !== undefined && !hasStatus(status, error, search)) return false;
  if (message !== undefined && !isMessage(message, messageOf(error))) return false;
  if (retryAfter === true && readServerDelay(error, NO_CLOCK).type !== 'delay') return false;
  if (cause !== undefined && !hasCause(cause, error, search)) return false;
  return matchesRest(pattern, error, search);
}

/** Matches the fields that few patterns have. */
function matchesRest(pattern: ErrorPattern, error: unknown, search: Search): boolean {
  const { errno, sqlState, label, retryable, anywhere, unless } = pattern;
  if (errno !== undefined && !hasAnyCode(OTHER_CODES.errno, errno, error)) return false;
  if (sqlState !== undefined && !hasAnyCode(OTHER_CODES.sqlState, sqlState, error)) return false;
  if (label !== undefined && !anyOf(label, (wanted) => hasLabel(error, wanted))) return false;
  if (retryable === true && !saysRetryable(error)) return false;
  if (anywhere !== undefined && !isAnywhere(anywhere, error, search)) return false;
  return unless === undefined || !isAnywhere(unless, error, search);
}

/** Where drivers and what wraps them keep a code (`kind` is Prisma's); a number of the system, of MySQL or of SQLite; an SQLSTATE. */
export const OTHER_CODES = {
  code: ['originalCode', 'extendedCode', 'kind'],
  errno: ['errno', 'errcode', 'rawCode'],
  sqlState: ['sqlState', 'sqlstate', 'state'],
} as const;

type Codes = NonNullable<ErrorPattern['code']>;

function hasCode(codes: Codes, error: unknown): boolean {
  return (
    anyOf(codes, (wanted) => isCode(wanted, read(error, 'code'))) ||
    hasAnyCode(OTHER_CODES.code, codes, error)
  );
}

function hasAnyCode(keys: readonly string[], codes: Codes, error: unknown): boolean {
  return keys.some((key) => {
    const given = read(error, key);
    return given !== undefined && anyOf(codes, (wanted) => isCode(wanted, given));
  });
}

function hasStatus(statuses: NonNullable<ErrorPattern['status']>, error: unknown, search: Search): boolean {
  const status = knownStatus(error, search);
  return status !== undefined && anyOf(statuses, (wanted) => wanted === status);
}

/** Looking for a status takes longer than anything else, and each family asks for it several times. */
function knownStatus(error: unknown, search: Search): number | undefined {
  search.statuses ??= new Map();
  if (search.statuses.has(error)) return search.statuses.get(error);
  const status = statusOf(error);
  search.statuses.set(error, status);
  return status;
}

/** Returns whether one of the matchers matches the error or one of its causes. */
function isAnywhere(matchers: Matcher | readonly Matcher[], error: unknown, search: Search): boolean {
  return [error, ...knownCauses(error, search)].some((inner) =>
    anyOf(matchers, (matcher) => matchesInner(matcher, inner, search)),
  );
}

function knownCauses(error: unknown, search: Search): readonly unknown[] {
  search.causes ??= new Map();
  const known = search.causes.get(error) ?? causesOf(error);
  search.causes.set(error, known);
  return known;
}

function hasCause(cause: Matcher, error: unknown, search: Search): boolean {
  return knownCauses(error, search).some((inner) => matchesInner(cause, inner, search));
}

function anyOf<T>(wanted: T | readonly T[], test: (wanted: T) => boolean): boolean {
  // `Array.isArray` does not narrow a readonly array, hence the assertions.
  if (!Array.isArray(wanted)) return test(wanted as T);
  const list = wanted as readonly T[];
  // A loop: V8 has no fast path for `some` on a frozen array, as the lists of a policy are.
  for (let index = 0; index < list.length; index += 1) {
    if (test(list[index] as T)) return true;
  }
  return false;
}

function isNamed(error: unknown, name: string): boolean {
  return isCode(name, read(error, 'name')) || hasClassNamed(error, name);
}

/**
 * Compares classes by name, so that errors of another copy of a package, or of another realm, match. Names of one or two
 * letters do not match: minifiers reuse them.
 */
function hasClassNamed(error: unknown, name: string): boolean {
  // A class may have its own static `name` of any type.
  if (typeof name !== 'string' || name.length < 3 || typeof error !== 'object') return false;
  for (let link = prototypeOf(error), links = 0; link !== null && links < MAX_LINKS; links += 1) {
    if (isCode(name, classNameOf(link))) return true;
    link = prototypeOf(link);
  }
  return false;
}

function prototypeOf(value: object | null): object | null {
  try {
    return value === null ? null : Object.getPrototypeOf(value);
  } catch {
    return null;
  }
}

function classNameOf(prototype: object): unknown {
  const made = read(prototype, 'constructor');
  try {
    return typeof made === 'function' ? made.name : undefined;
  } catch {
    return undefined;
  }
}

function isCode(wanted: string | number, code: unknown): boolean {
  if (wanted === code) return true;
  if (typeof wanted !== 'string' || !wanted.includes('*')) return false;
  return typeof code === 'string' && matchesGlob(wanted, code);
}

function isMessage(message: ErrorPattern['message'], text: string): boolean {
  return anyOf(message, (wanted) => isInMessage(wanted, text));
}

function isInMessage(wanted: RegExp | string | MessageGlob | undefined, message: string): boolean {
  if (typeof wanted === 'string') return message.includes(wanted);
  if (wanted === undefined) return false;
  if ('glob' in wanted) return isLike(wanted, message);
  // With the flag y, the pattern matches at the beginning, and remembers how far it came.
  if (wanted.sticky) wanted.lastIndex = 0;
  return wanted.test(message);
}

function isLike({ glob, except = [], ignoreCase }: MessageGlob, message: string): boolean {
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const matchesMessage = (each: string): boolean => matchesGlob(fold(each), fold(message));
  return matchesMessage(glob) && !anyOf(except, matchesMessage);
}

/** Returns the beginning of the message: the time of a pattern may grow with the square of the length, or worse. */
function messageOf(error: unknown): string {
  const message = typeof error === 'string' ? error : read(error, 'message');
  return typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : '';
}
