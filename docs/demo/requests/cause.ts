import { isRetryError } from '@retry/core';
import { HttpError } from './call-server.ts';

/** Returns in one short line why an attempt failed. */
export function causeOf(error: unknown): string {
  if (error instanceof HttpError) return `${error.message}${askedBy(error.headers)}`;
  if (isRetryError(error, 'ATTEMPT_TIMEOUT')) return 'slower than the attempt timeout';
  if (!(error instanceof Error)) return String(error);
  return error.message === 'fetch failed' ? `connection dropped${codeOf(error.cause)}` : error.message;
}

function askedBy(headers: Headers): string {
  if (headers.has('retry-after-ms')) return ', retry-after-ms';
  const value = headers.get('retry-after');
  if (value === null) return '';
  return /^\d+$/.test(value) ? `, Retry-After: ${value}` : ', Retry-After: a date';
}

function codeOf(cause: unknown): string {
  return typeof cause === 'object' && cause !== null && 'code' in cause ? `, ${cause.code}` : '';
}
