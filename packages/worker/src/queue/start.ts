import { MAX_INSTANT_AT } from '@retry/core';
import type { Fields } from '@retry/core/fields';
import { readInstant } from '../option-rules.ts';

/** When a run may start: the later of both. */
export interface Start {
  readonly runAt?: number;
  readonly delayMs?: number;
}

/** Reads the options `runAt` and `delay`; wrong ones are reported. */
export function readStart(fields: Fields): Start {
  const runAt = readInstant(fields, 'runAt');
  const delayMs = readLength(fields, 'delay', 0);
  return { ...(runAt !== undefined && { runAt }), ...(delayMs !== undefined && { delayMs }) };
}

/** Reads a duration that brokers can store, at least this long; `undefined` when it is absent. */
export function readLength(fields: Fields, key: 'delay' | 'keepResult', leastMs: number): number | undefined {
  if (fields.value(key) === undefined) return undefined;
  return fields.duration(key, undefined, {
    finite: true,
    fromNow: true,
    accepts: (ms) => ms >= leastMs && ms <= MAX_INSTANT_AT,
    message: `must be a finite duration ${leastMs > 0 ? '>' : '≥'} 0`,
  });
}
