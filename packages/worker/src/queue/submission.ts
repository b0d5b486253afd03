import type { Duration, Policy, PolicyInput } from '@retry/core';
import type { Broker, Concurrency, Spent, Submission, Unique } from '@retry/core/broker';
import { MAX_CONCURRENCY, textProblem } from '@retry/core/broker/kit';
import type { Fields, Report } from '@retry/core/fields';
import { allowedAttempts, integerBetween, readFields, settingsOf } from '@retry/core/fields';
import type { InstantInput } from '../option-rules.ts';
import { fairnessKeyOf } from '../task/fairness-key.ts';
import { globalLimitOf } from '../task/lane.ts';
import { writePayload } from '../task/payload.ts';
import { checkPayload } from '../task/schema.ts';
import type { AnyTask } from '../task/task.ts';
import { createRunId } from './run-id.ts';
import type { Start } from './start.ts';
import { readLength, readStart } from './start.ts';
import type { SubmitPolicy } from './submit-options/submit-policy.ts';
import { readSubmitPolicy } from './submit-options/submit-policy.ts';
import type { SpentOptions } from './submit-options/submit-spent.ts';
import { checkSpent, readContext, readSpent } from './submit-options/submit-spent.ts';
import type { UniqueOptions } from './submit-options/submit-unique.ts';
import { readUnique } from './submit-options/submit-unique.ts';

/** The options of `queue.submit`. */
export interface SubmitOptions {
  /**
   * Idempotency key: a second submission with the same key to the same task, whatever its version, submits nothing and
   * returns the first run. The run's id is made of task name and key. A key is known while its run is stored, and for the
   * broker's `keepKeys` after its end.
   */
  readonly key?: string | undefined;
  /**
   * At most one run of a key of the task at a time: a second one is not submitted while the first one waits or runs, or it replaces
   * that. Not together with `key`, which outlives its run.
   */
  readonly unique?: UniqueOptions | undefined;
  /** Does not start before this instant. @default now */
  readonly runAt?: InstantInput | undefined;
  /** Does not start before this long from now. @default 0 */
  readonly delay?: Duration | undefined;
  /**
   * When to retry this run, instead of as its task says: the same options as those of a task, completed by the same defaults.
   * Kept with the run as JSON, at most 16 KiB: no functions and no classes.
   * @default the policy of the task
   */
  readonly retry?: Policy | PolicyInput | undefined;
  /**
   * At most `limit` runs of one key run at the same time, over all workers. With `holdWhileRetrying` a run keeps its place from
   * its first start until it ends, also while it waits for a retry: with a limit of 1, runs end in the order in which they
   * started. @default no limit
   */
  readonly concurrency?:
    | { readonly key: string; readonly limit: number; readonly holdWhileRetrying?: boolean | undefined }
    | undefined;
  /**
   * How long to keep the result for `waitForResult`, whatever the broker's retention: until it has been read, or this long
   * after the run's end. Dead letters are kept anyway. @default the broker's retention
   */
  readonly keepResult?: Duration | undefined;
  /**
   * Trace context, kept with the run and given to its handler as `ctx.context`; never looked at. At most 512 bytes.
   * @default none
   */
  readonly context?: string | undefined;
  /** What the run brings along from elsewhere: attempts that were made before, which count. @default nothing */
  readonly spent?: SpentOptions | undefined;
  /**
   * The client that began your transaction, where the broker lives in your database: the run is submitted when that
   * commits. Idle workers find it at their next poll, unless the broker is configured to wake them.
   */
  readonly tx?: unknown;
}

/** A submitted run. */
export interface Submitted<Result = unknown> {
  /** The run's id, for `get`, `result`, `cancel` and `waitForResult`. */
  readonly id: string;
  /** `false` when its key was known already, or another run has its unique key, and nothing was submitted. */
  readonly isNew: boolean;
  /** The id of the waiting run that was cancelled for it (`onConflict: 'replace'`). */
  readonly replaced?: string | undefined;
  /** Never present: carries the type that the task's handler returns. */
  readonly '~result'?: Result | undefined;
}

/** The checked options of one submission. */
export interface SubmitSettings extends Start {
  /** The id made of the key; without a key each run gets a random id. */
  readonly keyedId?: string | undefined;
  /** The unique key, which is the tag of the run's id. */
  readonly unique?: Unique | undefined;
  readonly policy?: SubmitPolicy | undefined;
  readonly concurrency?: Omit<Concurrency, 'whenFull'> | undefined;
  readonly keepResultMs?: number | undefined;
  readonly context?: string | undefined;
  readonly spent?: Spent | undefined;
  readonly tx?: unknown;
}

/** The options that all submitting methods have. */
export const SUBMIT_KEYS = [
  'runAt',
  'delay',
  'retry',
  'concurrency',
  'keepResult',
  'context',
  'spent',
] as const;

/** The longest id, in bytes of UTF-8; all brokers have this limit. */
const MAX_ID_BYTES = 512;

/** Reads the options of a submission; every wrong one is reported. */
export function readSubmission(fields: Fields, report: Report, taskName: string): SubmitSettings {
  return {
    keyedId: readKey(fields, taskName),
    unique: readUnique(fields, report, taskName),
    ...readStart(fields),
    policy: readSubmitPolicy(fields, report),
    concurrency: readConcurrency(fields, report),
    keepResultMs: readLength(fields, 'keepResult', Number.MIN_VALUE),
    context: readContext(fields),
    spent: readSpent(fields, report),
  };
}

/** Reads the transaction in which to submit; reported if the broker cannot join one. */
export function readTransaction(fields: Fields, { within }: Broker): Pick<SubmitSettings, 'tx'> {
  return { tx: fields.optional('tx', within === undefined ? NO_TRANSACTION : A_TRANSACTION) };
}

/** Returns the id made of a key. Task names contain no @, so no two tasks share an id. */
function readKey(fields: Fields, name: string): string | undefined {
  const key = fields.value('key');
  if (key === undefined) return undefined;
  if (typeof key !== 'string') {
    fields.fail('key', textProblem(key) ?? '', KEY_CURE);
    return undefined;
  }
  const bytesLeft = MAX_ID_BYTES - Buffer.byteLength(`${name}@`);
  const tooLong = `must be at most ${bytesLeft} bytes of UTF-8, because the task's name is part of the id`;
  const problem = Buffer.byteLength(key) <= bytesLeft ? textProblem(key) : tooLong;
  if (problem !== undefined) fields.fail('key', problem, KEY_CURE);
  return `${name}@${key}`;
}

const KEY_CURE = 'Use text that names the piece of work, such as an order number, or leave it out.';

function readConcurrency(fields: Fields, report: Report): SubmitSettings['concurrency'] {
  const given = fields.value('concurrency');
  if (given === undefined) return undefined;
  const inner = readFields(given, fields.path('concurrency'), {
    keys: ['key', 'limit', 'holdWhileRetrying'],
    report,
  });
  if (inner === undefined) return undefined;
  const key = inner.value('key');
  const problem = textProblem(key);
  if (problem !== undefined) inner.fail('key', problem, "Use concurrency: { key: 'user-1', limit: 2 }.");
  const limit = inner.number('limit', undefined, A_KEY_LIMIT);
  const holdWhileRetrying = inner.choice('holdWhileRetrying', false, [true, false]);
  return {
    key: typeof key === 'string' ? key : '',
    limit,
    ...(holdWhileRetrying && { holdWhileRetrying }),
  };
}

const A_KEY_LIMIT = integerBetween(
  1,
  MAX_CONCURRENCY,
  "Use concurrency: { key: 'user-1', limit: 2 }, or leave it out for no limit.",
);

const A_TRANSACTION = {
  accepts: (value: unknown): value is object | string | number | symbol => value !== null,
  message: 'must be the client that began your transaction',
  cure: 'Leave it out to submit immediately.',
};

const NO_TRANSACTION = {
  accepts: (_: unknown): _ is never => false,
  message: 'needs a broker in your own database, such as that of @retry/postgres',
  cure: 'Leave tx out.',
};

/**
 * Returns the submission for the broker, at once where the task has no schema.
 *
 * @throws {PayloadError} when the payload is invalid or cannot be stored
 */
export function prepareSubmission(
  task: AnyTask,
  payload: unknown,
  settings: SubmitSettings,
): Submission | Promise<Submission> {
  const write = (): Submission => {
    const text = writePayload(payload, task);
    return submissionOf(task, { payload: text, fairnessKey: fairnessKeyOf(task, text) }, settings);
  };
  // A payload that is left out arrives as `null`: what the schema refuses at the start has to be refused here.
  return task.schema === undefined ? write() : checkPayload(task.schema, payload ?? null).then(write);
}

/** Returns the submission of a payload that is JSON text already, with the defaults of the task. */
export function submissionOf(
  task: AnyTask,
  { payload, fairnessKey }: Pick<SubmittedWork, 'payload' | 'fairnessKey'>,
  settings: SubmitSettings & { readonly id?: string },
): Submission {
  const { policy, spent, concurrency = ofTask(task) } = settings;
  const ofRetry = settingsOf(task.retry);
  const { initialDelayMs } = policy ?? ofRetry;
  if (spent !== undefined) checkSpent(spent, policy?.maxAttempts ?? allowedAttempts(ofRetry));
  const whenFull = task.whenFull === 'wait' ? 'wait' : 'claim';
  const work = { id: settings.id, lane: task.lane, payload, fairnessKey, whenFull, initialDelayMs } as const;
  return toSubmission(work, settings, concurrency);
}

/** The part of a submission that the options do not say. */
interface SubmittedWork extends Pick<Submission, 'lane' | 'payload'>, Pick<Concurrency, 'whenFull'> {
  /** The id of a run without a key. @default a random one */
  readonly id?: string | undefined;
  readonly fairnessKey?: string | undefined;
  readonly initialDelayMs: number;
}

/** Returns the submission for the broker. The first attempt waits at least for the policy's initial delay. */
export function toSubmission(
  { id, lane, payload, fairnessKey, whenFull, initialDelayMs }: SubmittedWork,
  settings: SubmitSettings,
  concurrency: SubmitSettings['concurrency'] = settings.concurrency,
): Submission {
  const { keyedId, unique, runAt, delayMs, policy, keepResultMs, context, spent } = settings;
  const firstMs = Math.max(delayMs ?? 0, initialDelayMs);
  const submission: Mutable<Submission> = {
    id: keyedId ?? id ?? createRunId(unique?.key),
    lane,
    payload,
  };
  // Most have none of these, and a dozen spreads of nothing would take as long as writing a small payload.
  if (keyedId !== undefined) submission.keyed = true;
  if (unique !== undefined) submission.unique = unique;
  if (runAt !== undefined) submission.runAt = runAt;
  if (delayMs !== undefined || firstMs > 0) submission.delayMs = firstMs;
  if (policy !== undefined) submission.retry = policy.text;
  if (keepResultMs !== undefined) submission.keepResultMs = Math.ceil(keepResultMs);
  if (context !== undefined) submission.context = context;
  if (spent !== undefined) submission.spent = spent;
  if (fairnessKey !== undefined) submission.fairnessKey = fairnessKey;
  if (concurrency !== undefined) submission.concurrency = { ...concurrency, whenFull };
  return submission;
}

/** A value that may be written to, as nothing else has it yet. */
type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

function ofTask(task: AnyTask): SubmitSettings['concurrency'] {
  const limit = globalLimitOf(task)?.limit;
  return limit === undefined ? undefined : { key: task.lane, limit };
}

/** Whether nothing of a submission has to be waited for: its schema has answered at once. */
export function isPrepared(submission: Submission | Promise<Submission>): submission is Submission {
  return !(submission instanceof Promise);
}
