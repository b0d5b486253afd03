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
  const isPlain = isPlainJson(payload);
  const text = toJSON(payload, isPlain);
  const bytes = text.length * MAX_BYTES_PER_UNIT > maxBytes ? Buffer.byteLength(text) : 0;
  if (bytes > maxBytes) {
    throw new PayloadError(
      `the payload has ${bytes} bytes, more than the limit of ${maxBytes}. Store the data elsewhere and submit its key.`,
    );
  }
  if (!isPlain && mayPollute(text)) readPayload(text);
  return text;
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
  try {
    return mayPollute(text) ? JSON.parse(text, refusePollution) : JSON.parse(text);
  } catch (error) {
    if (error instanceof PayloadError) throw error;
    throw new PayloadError('the payload is not JSON text', [], { cause: error });
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
    return writePayload(result, Infinity);
  } catch (cause) {
    throw new PayloadError(`the result cannot be stored: ${errorText(cause).message}`, [], { cause });
  }
}

function toJSON(payload: unknown, isPlain: boolean): string {
  if (payload === undefined || payload === null) return 'null';
  if (typeof payload === 'string') return JSON.stringify(payload);
  let text: string | undefined;
  try {
    text = isPlain ? JSON.stringify(payload) : JSON.stringify(payload, refuseLoss);
  } catch (error) {
    if (error instanceof PayloadError) throw error;
    throw new PayloadError('the payload cannot be written as JSON', [], { cause: error });
  }
  if (text === undefined) throw new PayloadError(`a ${typeof payload} cannot be written as JSON`);
  return text;
}

const LOST_TYPES: readonly string[] = ['function', 'symbol', 'bigint'];
const LOST_CLASSES = [Map, Set, Promise] as const;

/** JSON would drop or change these silently, and the handler would receive another payload than was submitted. */
export function refuseLoss(key: string, value: unknown): unknown {
  const isLostNumber = typeof value === 'number' && !Number.isFinite(value);
  if (
    LOST_TYPES.includes(typeof value) ||
    isLostNumber ||
    LOST_CLASSES.some((lost) => value instanceof lost)
  ) {
    throw new PayloadError(`${key === '' ? 'the payload' : key} is ${nameOf(value)}, which JSON cannot hold`);
  }
  return value;
}

/** Never the source of a function, which may be long. */
function nameOf(value: unknown): string {
  return typeof value === 'function' ? 'a function' : String(value);
}

function refusePollution(key: string, value: unknown): unknown {
  const isPrototype = typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
  if (key === '__proto__' || (key === 'constructor' && isPrototype)) {
    throw new PayloadError(`the payload has a key ${key}, which would pollute prototypes`);
  }
  return value;
}
