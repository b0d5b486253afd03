import { readServerDelay } from '../decision/server-delay.ts';
import { read } from '../read.ts';
import { isYes } from './answer.ts';
import { beneath } from './causes.ts';
import type { ErrorClass, ErrorPattern, Matcher, Predicate } from './matcher.ts';
import { statusOf } from './status-of.ts';

/** What is looked at of a message, in characters. */
const MAX_MESSAGE_LENGTH = 4_096;

/** No chain of classes is this long; a Proxy may make one without end. */
const MAX_LINKS = 100;

/**
 * Whether the matcher means this thrown value, whatever it is (`undefined` and strings included).
 *
 * Throws only what a predicate of yours throws; what of an error cannot be read does not match.
 */
export function matchesError(matcher: Matcher, error: unknown): boolean {
  if (typeof matcher !== 'function') return matchesPattern(matcher, error);
  return isErrorClass(matcher) ? isOfClass(error, matcher) : isYes(matcher(error));
}

/** Index of the first matcher that means the error; -1 when none does. */
export function findMatch(matchers: readonly Matcher[], error: unknown): number {
  for (let index = 0; index < matchers.length; index += 1) {
    const matcher = matchers[index];
    if (matcher !== undefined && matchesError(matcher, error)) return index;
  }
  return -1;
}

/** Tells a class from a predicate: arrows have no prototype, and that of an error class has a message. */
export function isErrorClass(matcher: ErrorClass | Predicate): matcher is ErrorClass {
  const prototype: unknown = matcher.prototype;
  if (typeof prototype !== 'object' || prototype === null) return false;
  return 'message' in prototype || /^class\b/.test(`${matcher}`);
}

function isOfClass(error: unknown, errorClass: ErrorClass): boolean {
  return isInstance(error, errorClass) || hasClassNamed(error, errorClass.name);
}

/** A value whose prototype cannot be read is an instance of nothing. */
function isInstance(error: unknown, errorClass: ErrorClass): boolean {
  try {
    return error instanceof errorClass;
  } catch {
    return false;
  }
}

function matchesPattern(pattern: ErrorPattern, error: unknown): boolean {
  const { name, code, status, message, retryAfter, cause } = pattern;
  if (name !== undefined && !anyOf(name, (wanted) => isNamed(error, wanted))) return false;
  if (code !== undefined && !anyOf(code, (wanted) => isCode(wanted, read(error, 'code')))) return false;
  if (status !== undefined && !anyOf(status, (wanted) => wanted === statusOf(error))) return false;
  if (message !== undefined && !isInMessage(message, messageOf(error))) return false;
  // Whether there is a delay does not depend on the time of day.
  if (retryAfter === true && readServerDelay(error, 0).type !== 'delay') return false;
  return cause === undefined || beneath(error).some((inner) => matchesError(cause, inner));
}

function anyOf<T>(wanted: T | readonly T[], test: (wanted: T) => boolean): boolean {
  // `Array.isArray` does not narrow a readonly array, so each side says what it is.
  if (!Array.isArray(wanted)) return test(wanted as T);
  const list = wanted as readonly T[];
  // A policy's lists are frozen, and for `some` V8 has no fast way through a frozen array.
  for (let index = 0; index < list.length; index += 1) {
    if (test(list[index] as T)) return true;
  }
  return false;
}

function isNamed(error: unknown, name: string): boolean {
  return read(error, 'name') === name || hasClassNamed(error, name);
}

/**
 * Looks for the class by name, so that two copies of a package, or two realms, agree.
 * Names of one or two letters are what minifiers write; they say nothing.
 */
function hasClassNamed(error: unknown, name: string): boolean {
  // A class may have a static `name` of its own, of any type.
  if (typeof name !== 'string' || name.length < 3 || typeof error !== 'object') return false;
  for (let link = prototypeOf(error), links = 0; link !== null && links < MAX_LINKS; links += 1) {
    if (classNameOf(link) === name) return true;
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
  if (typeof wanted === 'string' && wanted.endsWith('*')) {
    return typeof code === 'string' && code.startsWith(wanted.slice(0, -1));
  }
  return wanted === code;
}

function isInMessage(wanted: RegExp | string, message: string): boolean {
  return typeof wanted === 'string' ? message.includes(wanted) : wanted.test(message);
}

/** Only its beginning: a pattern may take time that grows with the square of a text, or worse. */
function messageOf(error: unknown): string {
  const message = typeof error === 'string' ? error : read(error, 'message');
  return typeof message === 'string' ? message.slice(0, MAX_MESSAGE_LENGTH) : '';
}
