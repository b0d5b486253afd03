import { isRetryError } from '@retry/core';
import { errorText } from '../error-text.ts';
import { PayloadError } from '../errors.ts';
import { isPlainJson } from './plain-json.ts';

/** A UTF-16 unit takes at most three bytes of UTF-8, so the bytes of short texts need not be counted. */
const MAX_BYTES_PER_UNIT = 3;

/** The part of a task that its payloads are written by. */
interface PayloadRules {
  readonly maxPayloadBytes: number;
  /** What becomes text, such as a `Date`, it can turn back. */
  readonly schema?: unknown;
}

/** A digit and a comma. */
const MIN_BYTES_PER_ITEM = 2;

/**
 * Returns the JSON text of a payload.
 *
 * @throws {PayloadError} when it is too large, would pollute prototypes, or would be read back as another value
 */
export function writePayload(payload: unknown, { maxPayloadBytes, schema }: PayloadRules): string {
  const cure = 'Submit text or milliseconds, or give the task a schema that reads them.';
  const written = { noun: 'the payload', maxBytes: maxPayloadBytes } as const;
  return writeText(payload, schema === undefined ? { ...written, cure } : written);
}

/** What messages call the written value. */
type Noun = 'the payload' | 'the result' | 'the policy' | 'it';

/** What is written, and how. */
interface Written {
  readonly noun: Noun;
  readonly maxBytes: number;
  /** What to do about an object that becomes text, such as a `Date`; `undefined`: it may. */
  readonly cure?: string;
}

function writeText(value: unknown, written: Written): string {
  const { noun, maxBytes } = written;
  const isPlain = seemsPlain(value, maxBytes);
  const text = toJSON(value, written, isPlain);
  const bytes = text.length * MAX_BYTES_PER_UNIT > maxBytes ? Buffer.byteLength(text) : 0;
  if (bytes > maxBytes) {
    throw tooLarge(`${noun} has ${bytes} bytes, more than the limit`, maxBytes);
  }
  if (!isPlain && mayPollute(text)) readStored(text, noun);
  return text;
}

/** Returns whether a value seems plain. One that cannot be read is not: `JSON.stringify` throws as well, or reads what is left of it. */
function seemsPlain(value: unknown, maxBytes: number): boolean {
  try {
    return isPlainJson(value, { items: maxBytes / MIN_BYTES_PER_ITEM });
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
  try {
    return writeText(result, { noun: 'it', maxBytes, cure: 'Return text or milliseconds.' });
  } catch (cause) {
    throw new PayloadError(`the result cannot be stored: ${errorText(cause).message}`, [], { cause });
  }
}

/** Returns the error of a value that is larger than what may be stored. */
function tooLarge(what: string, maxBytes: number): PayloadError {
  return new PayloadError(
    `${what} of ${maxBytes}. Store the data elsewhere and keep its key; or raise maxPayloadBytes or maxResultBytes of the task.`,
  );
}

/** @param isPlain - it loses nothing */
function toJSON(value: unknown, written: Written, isPlain: boolean): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  let text: string | undefined;
  try {
    text = isPlain ? JSON.stringify(value) : JSON.stringify(value, lossRefuser(written));
  } catch (error) {
    if (isRetryError(error, 'INVALID_PAYLOAD')) throw error;
    const message = `${written.noun} cannot be written as JSON. Use plain data without cycles; the cause of this error says more.`;
    throw new PayloadError(message, [], { cause: error });
  }
  if (text === undefined) {
    const a = typeof value === 'object' ? 'an' : 'a';
    throw new PayloadError(`${a} ${typeof value} cannot be written as JSON. Use plain data.`);
  }
  return text;
}

/** A function that `JSON.stringify` or `JSON.parse` calls with every value, as a method of its holder. */
type Reviver = (this: unknown, key: string, value: unknown) => unknown;

/** JSON would drop or change these silently, and the handler would receive another payload than was submitted. */
export function lossRefuser({ noun, cure, maxBytes }: Written): Reviver {
  let room = maxBytes / MIN_BYTES_PER_ITEM;
  /** The path of each object that has been reached, with a point at its end. */
  const paths = new Map<unknown, string>();
  return function (key, value) {
    // The value is what a `toJSON` has made of it: `null` of a date that is none. Any other may have meant that.
    const given = (this as Readonly<Record<string, unknown>>)[key]; // the holder of the key
    const problem = lossOf(given, value) ?? (cure && changeOf(given, value, cure));
    if (problem === undefined && typeof value !== 'object') return value; // few need a path
    const path = `${paths.get(this) ?? ''}${key}`;
    if (problem !== undefined) throw new PayloadError(`${path === '' ? noun : path} is ${problem}`);
    // Counted before they are written: a sparse list takes no memory, and its text a minute.
    if (Array.isArray(value)) room -= value.length;
    if (room < 0)
      throw tooLarge(`${path === '' ? noun : path} has more items than bytes fit into the limit`, maxBytes);
    if (path !== '') paths.set(value, `${path}.`);
    return value;
  };
}

function lossOf(given: unknown, value: unknown): string | undefined {
  const lost = given instanceof Date || ArrayBuffer.isView(given) ? given : value;
  return isLost(lost) ? `${nameOf(lost)}, which JSON cannot hold. ${cureOf(lost)}` : undefined;
}

/** A `toJSON` may make another object of an object; of another type it would be taken for what was submitted. */
function changeOf(given: unknown, value: unknown, cure: string): string | undefined {
  if (typeof given === typeof value || value === undefined || value === null) return undefined;
  const arrival = typeof value === 'string' ? 'text' : `a ${typeof value}`;
  return `a ${Object(given).constructor?.name}, which arrives as ${arrival}. ${cure}`;
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

/** What to write instead of a value that JSON would lose. */
function cureOf(lost: unknown): string {
  if (typeof lost === 'bigint') return 'Use text: String(value).';
  if (typeof lost === 'number') return 'Use null, or leave it out.';
  if (typeof lost !== 'object') return 'Leave it out.';
  return CURES.find(([kind]) => lost instanceof kind)?.[1] ?? 'Use plain data.';
}

const CURES = [
  [Map, 'Use Object.fromEntries(map).'],
  [Set, 'Use [...set].'],
  [Promise, 'Await it first.'],
  [Error, 'Use its name and message.'],
  [RegExp, 'Use its source.'],
  [Date, 'Use a date that there is, or null.'],
  [Number, 'Use null, or leave it out.'],
  [Uint8Array, "Use text: Buffer.from(bytes).toString('base64')."],
] as const;

function pollutionRefuser(noun: Noun): Reviver {
  return (key, value) => {
    const isPrototype = typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
    if (key === '__proto__' || (key === 'constructor' && isPrototype)) {
      throw new PayloadError(
        `${noun} has a key ${key}, which would pollute prototypes. Give it another name.`,
      );
    }
    return value;
  };
}
