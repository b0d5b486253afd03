import { isList, read } from '../read.ts';
import { statusOf } from './status-of.ts';

/** What clients name the property that says whether a repetition may succeed: AI SDK, kafkajs, Azure, Kafka of Platformatic, Oracle, Prisma. */
const HINTS = [
  ...[
    'isRetryable',
    'retryable',
    'retriable',
    'isRetriable',
    'canRetry',
    'isRecoverable',
    'shouldRetry',
    'isTransient',
    'transient',
  ],
] as const;

/** What a server answers: OpenAI, Anthropic and what is generated like them; Stripe. */
const HEADERS = ['x-should-retry', 'stripe-should-retry'] as const;

/**
 * Returns whether the error, or the response it came with, says that it may be retried. A client's own word does not count beside a
 * status of 4xx other than 408, 425 and 429. A `false` of a client counts for nothing: it may mean that the client has given up its
 * own retries; that of a server is its refusal, which `readServerDelay` returns.
 */
export function saysRetryable(error: unknown): boolean {
  if (HINTS.some((key) => read(error, key) === true) && !isRefused(statusOf(error))) return true;
  // Of the AWS SDK: an object where a retry may succeed.
  if (typeof read(error, '$retryable') === 'object' && read(error, '$retryable') !== null) return true;
  const sources = [read(error, 'headers'), read(read(error, 'response'), 'headers')];
  return sources.some((headers) => HEADERS.some((name) => headerOf(headers, name) === 'true'));
}

/** Returns whether the status refuses the request as it is: the AI SDK says of a 409 that it may be retried. */
function isRefused(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}

/** Returns whether an error of MongoDB has a label. */
export function hasLabel(error: unknown, label: string): boolean {
  const labels = labelsOf(error);
  return isList(labels) ? labels.includes(label) : labels?.has(label) === true;
}

/** Returns whether an error of MongoDB has any labels. */
export function hasLabels(error: unknown): boolean {
  return labelsOf(error) !== undefined;
}

function labelsOf(error: unknown): readonly unknown[] | ReadonlySet<unknown> | undefined {
  const labels = read(error, 'errorLabels') ?? read(read(error, 'errorResponse'), 'errorLabels');
  if (isList(labels)) return labels;
  const set = read(error, 'errorLabelSet');
  return set instanceof Set ? set : undefined;
}

function headerOf(headers: unknown, name: string): unknown {
  const get = read(headers, 'get');
  try {
    return typeof get === 'function' ? get.call(headers, name) : read(headers, name);
  } catch {
    return undefined;
  }
}
