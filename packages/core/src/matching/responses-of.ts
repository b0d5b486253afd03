import { read } from '../read.ts';
import { isClassless, isError, ownEntries } from './own-values.ts';

/** Where clients keep the response: fetch wrappers, Fern, Firebase, supabase, the AWS SDK, Elasticsearch, Stripe, Boom. */
export const RESPONSES = [
  'response',
  '$response',
  'rawResponse',
  'httpResponse',
  'context',
  'meta',
  'res',
  'raw',
  'output',
] as const;

/** Returns what may be the response of an error, each once: what it names one, then whatever else in it has a status and headers. */
export function responsesOf(error: unknown): readonly unknown[] {
  const named = RESPONSES.map((key) => read(error, key)).filter((response) => response !== undefined);
  return [...new Set([...named, ...otherResponses(error)])];
}

/**
 * Returns whatever has a status and headers in an own property, or in a plain object in one: `meta.response` of tRPC, `data.res` of Wreck.
 */
export function otherResponses(error: unknown): readonly unknown[] {
  return typeof error === 'object' && error !== null ? responsesWithin(error, true) : [];
}

function responsesWithin(holder: object, mayDescend: boolean): readonly unknown[] {
  const found: unknown[] = [];
  for (const [, value] of ownEntries(holder)) {
    if (typeof value !== 'object' || value === null || isError(value)) continue;
    if (isResponse(value)) found.push(value);
    else if (mayDescend && isClassless(value)) found.push(...responsesWithin(value, false));
  }
  return found;
}

function isResponse(value: unknown): boolean {
  const status = read(value, 'status') ?? read(value, 'statusCode');
  const headers = read(value, 'headers');
  return typeof status === 'number' && status >= 100 && typeof headers === 'object' && headers !== null;
}
