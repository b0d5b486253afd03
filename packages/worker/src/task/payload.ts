import { PayloadError } from '../errors.ts';
import type { StandardSchema } from './schema.ts';
import { issueText } from './schema.ts';

/** The JSON text of a payload, once it is sure that it can be read back the same and is not too large. */
export function writePayload(payload: unknown, maxBytes: number): string {
  const text = toJSON(payload);
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) {
    throw new PayloadError(
      `the payload has ${bytes} bytes, at most ${maxBytes} may be. Keep the data elsewhere and submit its key.`,
    );
  }
  if (MAY_POLLUTE.test(text)) readPayload(text);
  return text;
}

/** Only texts with one of these can pollute prototypes, and a reviver makes reading several times as slow. */
const MAY_POLLUTE = /__proto__|constructor|\\u/;

/** The payload of a JSON text. @throws {PayloadError} when it is broken or would pollute prototypes */
export function readPayload(text: string): unknown {
  try {
    return MAY_POLLUTE.test(text) ? JSON.parse(text, refusePollution) : JSON.parse(text);
  } catch (error) {
    if (error instanceof PayloadError) throw error;
    throw new PayloadError('the payload is no JSON text', [], { cause: error });
  }
}

/** What the schema takes the payload for. @throws {PayloadError} with every issue when it refuses it */
export async function checkPayload(schema: StandardSchema | undefined, payload: unknown): Promise<unknown> {
  if (schema === undefined) return payload;
  const result = await schema['~standard'].validate(payload);
  if (result.issues === undefined) return result.value;
  const issues = result.issues.map(issueText);
  throw new PayloadError(`the payload does not fit its schema: ${issues.join('; ')}`, issues);
}

function toJSON(payload: unknown): string {
  if (payload === undefined || payload === null) return 'null';
  if (typeof payload === 'string') return JSON.stringify(payload);
  let text: string | undefined;
  try {
    text = JSON.stringify(payload, refuseLoss);
  } catch (error) {
    if (error instanceof PayloadError) throw error;
    throw new PayloadError('the payload cannot be written as JSON', [], { cause: error });
  }
  if (text === undefined) throw new PayloadError(`a ${typeof payload} cannot be written as JSON`);
  return text;
}

const LOST_TYPES: readonly string[] = ['function', 'symbol', 'bigint'];
const LOST_CLASSES = [Map, Set, Promise] as const;

/** JSON would drop or change these silently, and the handler would get another payload than was submitted. */
function refuseLoss(key: string, value: unknown): unknown {
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

/** Never the source of a function: it may be long, and does not belong into an error. */
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
