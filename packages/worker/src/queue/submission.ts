import type { Duration } from '@retry/core';
import { MAX_INSTANT_AT } from '@retry/core';
import type { Broker, Concurrency } from '@retry/core/broker';
import { textProblem } from '@retry/core/broker';
import type { Fields, Report } from '@retry/core/fields';
import { readFields } from '@retry/core/fields';

/** What belongs to one submission. */
export interface SubmitOptions {
  /**
   * Idempotency key: a second submission of the same key to the same task, whatever its version, is the first one. The
   * run's id is made of both. A key is known while its run is kept, and for the broker's `keepKeys` after its end.
   */
  readonly key?: string | undefined;
  /** Not before this instant, in epoch milliseconds. */
  readonly runAt?: number | undefined;
  /** Not before this long from now. */
  readonly delay?: Duration | undefined;
  /** Runs of one key start at most `limit` at a time, over all workers. */
  readonly concurrency?: { readonly key: string; readonly limit: number } | undefined;
  /**
   * The result will be waited for: whatever the broker's retention, it is kept until `waitForResult` has read it or this
   * long has passed since the run's end. Dead letters are kept anyway.
   */
  readonly keepResult?: Duration | undefined;
  /**
   * The client that began your transaction, where the broker lives in your database: the run is kept once that commits.
   * Idle workers find it at their next poll, unless the broker was asked to wake them.
   */
  readonly tx?: unknown;
}

/** A submitted run. */
export interface Submitted<Result = unknown> {
  /** What `get`, `result`, `cancel` and `waitForResult` take. */
  readonly id: string;
  /** `false` when its key was known already; nothing was submitted then. */
  readonly isNew: boolean;
  /** Never there: it carries the type of what the task's handler returns. */
  readonly '~result'?: Result | undefined;
}

/** The options of one submission, checked. */
export interface SubmitSettings {
  /** The id that the key makes; without one each run gets an id of its own. */
  readonly keyedId?: string | undefined;
  readonly runAt?: number | undefined;
  readonly delayMs?: number | undefined;
  readonly concurrency?: Pick<Concurrency, 'key' | 'limit'> | undefined;
  readonly keepResultMs?: number | undefined;
  readonly tx?: unknown;
}

/** The options that every submission takes; most take more. */
export const SUBMIT_KEYS = ['runAt', 'delay', 'concurrency', 'keepResult'] as const;

/** The longest id, in bytes of UTF-8: a limit of every broker's. */
const MAX_ID_BYTES = 512;

/** The most runs that one concurrency key lets start. */
export const MAX_CONCURRENCY = 2_147_483_647;

/** Reads the options of a submission; every wrong one is reported. */
export function readSubmission(fields: Fields, report: Report, taskName: string): SubmitSettings {
  return {
    keyedId: readKey(fields, taskName),
    runAt: fields.optional('runAt', AN_INSTANT),
    delayMs: readLength(fields, 'delay', 0),
    concurrency: readConcurrency(fields, report),
    keepResultMs: readLength(fields, 'keepResult', Number.MIN_VALUE),
  };
}

/** Reads the transaction in which to submit; a broker that can take part in none reports it. */
export function readTransaction(fields: Fields, { within }: Broker): Pick<SubmitSettings, 'tx'> {
  return { tx: fields.optional('tx', within === undefined ? NO_TRANSACTION : A_TRANSACTION) };
}

/** The id that a key makes: task names have no @, so that no two tasks share one. */
function readKey(fields: Fields, name: string): string | undefined {
  const key = fields.value('key');
  if (key === undefined) return undefined;
  if (typeof key !== 'string') {
    fields.fail('key', textProblem(key) ?? '', KEY_CURE);
    return undefined;
  }
  const bytesLeft = MAX_ID_BYTES - Buffer.byteLength(`${name}@`);
  const tooLong = `must be at most ${bytesLeft} bytes of UTF-8, as the name of its task belongs to the id`;
  const problem = Buffer.byteLength(key) <= bytesLeft ? textProblem(key) : tooLong;
  if (problem !== undefined) fields.fail('key', problem, KEY_CURE);
  return `${name}@${key}`;
}

const KEY_CURE = 'Use text that names the piece of work, such as an order number, or leave it out.';

function readConcurrency(fields: Fields, report: Report): SubmitSettings['concurrency'] {
  const given = fields.value('concurrency');
  if (given === undefined) return undefined;
  const inner = readFields(given, 'concurrency', { keys: ['key', 'limit'], report });
  if (inner === undefined) return undefined;
  const key = inner.value('key');
  const problem = textProblem(key);
  if (problem !== undefined) inner.fail('key', problem, "Use concurrency: { key: 'user-1', limit: 2 }.");
  const limit = inner.number('limit', undefined, {
    accepts: (count) => Number.isInteger(count) && count >= 1 && count <= MAX_CONCURRENCY,
    message: `must be an integer from 1 to ${MAX_CONCURRENCY}`,
    cure: "Use concurrency: { key: 'user-1', limit: 2 }, or leave it out for no limit.",
  });
  return { key: typeof key === 'string' ? key : '', limit };
}

function readLength(fields: Fields, key: 'delay' | 'keepResult', leastMs: number): number | undefined {
  if (fields.value(key) === undefined) return undefined;
  return fields.duration(key, undefined, {
    finite: true,
    accepts: (ms) => ms >= leastMs && ms <= MAX_INSTANT_AT,
    message: `must be a finite duration ${leastMs > 0 ? '>' : '≥'} 0`,
  });
}

const AN_INSTANT = {
  accepts: (value: unknown): value is number =>
    typeof value === 'number' && Math.abs(value) <= MAX_INSTANT_AT,
  message: 'must be finite epoch milliseconds',
  cure: 'Use Date.now() + ms, or date.getTime().',
};

const A_TRANSACTION = {
  accepts: (value: unknown): value is object | string | number | symbol => value !== null,
  message: 'must be the client that began your transaction',
  cure: 'Leave it out to submit at once.',
};

const NO_TRANSACTION = {
  accepts: (_: unknown): _ is never => false,
  message: 'needs a broker in your own database, such as that of @retry/postgres',
  cure: 'Leave tx out.',
};
