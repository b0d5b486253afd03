import { isRetryError } from '@retry/core';
import { errorText } from '../error-text.ts';
import { PayloadError } from '../errors.ts';
import { isPlainJson } from './plain-json.ts';

/** A UTF-16 unit takes at most three bytes of UTF-8, so the bytes of short texts need not be counted. */
const MAX_BYTES_PER_UNIT = 3;

/**
 * Returns the JSON text of a payload.
 *
 * @throws {PayloadError} when it is too large, would pollute prototypes, or would be read back as another value
 */
export function writePayload(payload: unknown, maxBytes: number): string {
  return writeText(payload, 'the payload', maxBytes);
}

/** What messages call the written value. */
type Noun = 'the payload' | 'the result' | 'the policy' | 'it';

function writeText(value: unknown, noun: Noun, maxBytes: number): string {
  const isPlain = seemsPlain(value);
  const text = toJSON(value, { isPlain, noun });
  const bytes = text.length * MAX_BYTES_PER_UNIT > maxBytes ? Buffer.byteLength(text) : 0;
  if (bytes > maxBytes) {
    throw new PayloadError(
      `${noun} has ${bytes} bytes, more than the limit of ${maxBytes}. Store the data elsewhere and submit its key.`,
    );
  }
  if (!isPlain && mayPollute(text)) readStored(text, noun);
  return text;
}

/** One that cannot be read is not plain: `JSON.stringify` throws as well, or reads what is left of it. */
function seemsPlain(value: unknown): boolean {
  try {
    return isPlainJson(value);
  } catch {
    return false;
  }
}

/**
 * Only texts with one of these can pollute prototypes; others are parsed without a reviver, which is several times faster. Three
 * searches take a tenth of the time of one by a regular expression.
 */
function mayPollute(text: string): boolean {
  return text.includes('__proto__') || text.includes('constructor') || text.includes('\\u');
}

/** Parses the JSON text of a payload. @throws {PayloadError} when it is broken or would pollute prototypes */
export function readPayload(text: string): unknown {
  return readStored(text, 'the payload');
}

/** Parses stored JSON text. @throws {PayloadError} when it is broken or would pollute prototypes */
export function readStored(text: string, noun: Noun): unknown {
  try {
    return mayPollute(text) ? JSON.parse(text, pollutionRefuser(noun)) : JSON.parse(text);
  } catch (error) {
    if (isRetryError(error, 'INVALID_PAYLOAD')) throw error;
    throw new PayloadError(`${noun} is not JSON text`, [], { cause: error });
  }
}

/** Returns the JSON text of a handler's result. @throws {PayloadError} when it cannot be stored */
export function writeResult(result: unknown, maxBytes: number): string {
  const text = toResultText(result);
  const bytes = text.length * MAX_BYTES_PER_UNIT > maxBytes ? Buffer.byteLength(text) : 0;
  if (bytes <= maxBytes) return text;
  throw new PayloadError(
    `the result has ${bytes} bytes, more than the limit of ${maxBytes}. Store the data elsewhere and return its key, or raise maxResultBytes.`,
  );
}

function toResultText(result: unknown): string {
  try {
    return writeText(result, 'it', Infinity);
  } catch (cause) {
    throw new PayloadError(`the result cannot be stored: ${errorText(cause).message}`, [], { cause });
  }
}

interface Written {
  readonly isPlain: boolean;
  readonly noun: Noun;
}

function toJSON(value: unknown, { isPlain, noun }: Written): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  let text: string | undefined;
  try {
    text = isPlain ? JSON.stringify(value) : JSON.stringify(value, lossRefuser(noun));
  } catch (error) {
    if (isRetryError(error, 'INVALID_PAYLOAD')) throw error;
    throw new PayloadError(`${noun} cannot be written as JSON`, [], { cause: error });
  }
  if (text === undefined) {
    const a = typeof value === 'object' ? 'an' : 'a';
    throw new PayloadError(`${a} ${typeof value} cannot be written as JSON`);
  }
  return text;
}

/** A function that `JSON.stringify` or `JSON.parse` calls with every value, as a method of its holder. */
type Reviver = (this: unknown, key: string, value: unknown) => unknown;

/** JSON would drop or change these silently, and the handler would receive another payload than was submitted. */
export function lossRefuser(noun: Noun): Reviver {
  /** The path of each object that has been reached, with a point at its end. */
  const paths = new Map<unknown, string>();
  return function (key, value) {
    // What a `toJSON` has made of it comes here: `null` of a date that is none. Any other may have meant it.
    const given = value === null ? (this as Readonly<Record<string, unknown>>)[key] : value; // the holder of the key
    const lost = given instanceof Date ? given : value;
    const isRefused = isLost(lost);
    if (!isRefused && typeof value !== 'object') return value; // few need a path
    const path = `${paths.get(this) ?? ''}${key}`;
    if (isRefused)
      throw new PayloadError(`${path === '' ? noun : path} is ${nameOf(lost)}, which JSON cannot hold`);
    if (path !== '') paths.set(value, `${path}.`);
    return value;
  };
}

function isLost(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (value instanceof Date) return Number.isNaN(value.getTime());
  if (value instanceof Number) return !Number.isFinite(value.valueOf());
  return (
    LOST_TYPES.includes(typeof value) ||
    ArrayBuffer.isView(value) ||
    LOST_CLASSES.some((lost) => value instanceof lost)
  );
}

const LOST_TYPES: readonly string[] = ['function', 'symbol', 'bigint'];
const LOST_CLASSES = [Map, Set, WeakMap, WeakSet, Promise, Error, RegExp, ArrayBuffer] as const;

/** Never the source of a function, which may be long. */
function nameOf(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Error) return 'an Error';
  if (ArrayBuffer.isView(value)) return `a ${value.constructor.name}`;
  return typeof value === 'function' ? 'a function' : String(value);
}

function pollutionRefuser(noun: Noun): Reviver {
  return (key, value) => {
    const isPrototype = typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
    if (key === '__proto__' || (key === 'constructor' && isPrototype)) {
      throw new PayloadError(`${noun} has a key ${key}, which would pollute prototypes`);
    }
    return value;
  };
}
