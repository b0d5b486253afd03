import type { Problem } from '@retry/core';
import { formatDuration, InvalidOptionsError, RetryError } from '@retry/core';
import type { AttemptError } from '@retry/core/broker';
import { hideSecrets } from '@retry/core/broker/kit';
import { shorten } from './error-text.ts';

/** The codes of this package's errors. */
export type WorkerErrorCode =
  | 'INVALID_PAYLOAD'
  | 'INVALID_COST'
  | 'INVALID_FAIRNESS_KEY'
  | 'CANCELLED'
  | 'SHUTDOWN'
  | 'WORKER_STOPPED'
  | 'WORKER_STARTED'
  | 'LEASE_LOST'
  | 'STALLED'
  | 'NOT_COMMITTED'
  | 'RELEASES_EXHAUSTED'
  | 'RUN_FAILED'
  | 'RUN_FORGOTTEN'
  | 'WAIT_TIMEOUT'
  | 'PARTLY_SUBMITTED'
  | 'NO_INSIGHT'
  | 'TOO_MANY_OPERATIONS'
  | 'UNKNOWN_OPERATION'
  | 'WRONG_REPLY'
  | 'NO_ANSWER';

/** A payload or result that cannot be stored: it fails its schema, is not JSON, is too large or would pollute prototypes. */
export class PayloadError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'PayloadError';
  /** The issues that the schema reported; empty when another check failed. */
  readonly issues: readonly string[];

  constructor(message: string, issues: readonly string[] = [], options?: ErrorOptions) {
    super('INVALID_PAYLOAD', message, options);
    this.issues = issues;
  }
}

/** What a run costs is no number > 0, or more than its limit allows: it can never start. */
export class CostError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'CostError';

  constructor(message: string, options?: ErrorOptions) {
    super('INVALID_COST', message, options);
  }
}

/** The `fairness` of a task answered no text that can be a key, or threw: nothing is submitted. */
export class FairnessKeyError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'FairnessKeyError';

  constructor(message: string, options?: ErrorOptions) {
    super('INVALID_FAIRNESS_KEY', message, options);
  }
}

/** The reason of a handler's signal when its run was cancelled. */
export class CancelledError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'CancelledError';

  constructor() {
    super('CANCELLED', 'the run was cancelled');
  }
}

/** The reason of a handler's signal when its worker shuts down. */
export class ShutdownError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'ShutdownError';

  constructor() {
    super('SHUTDOWN', 'the worker is shutting down');
  }
}

/** The reason of a handler's signal when its lease is lost: its outcome will not be accepted. */
export class LeaseLostError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'LeaseLostError';

  constructor() {
    super('LEASE_LOST', 'the lease is lost; another worker may hold the run');
  }
}

/** Recorded for a stalled attempt: its worker, or its handler, sent no heartbeat in time. */
export class StalledError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'StalledError';

  constructor(message = 'the worker stopped sending heartbeats') {
    super('STALLED', message);
  }
}

/** A handler called `ctx.complete`, but its transaction was not committed: everything done in it is undone. */
export class NotCommittedError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'NotCommittedError';

  constructor() {
    super(
      'NOT_COMMITTED',
      'the handler completed its run in a transaction that was not committed: the attempt has failed',
    );
  }
}

/** A handler called `ctx.release`, but its run had been given back `maxReleases` times already: it fails instead. */
export class ReleasesExhaustedError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'ReleasesExhaustedError';
  /** How often the run had been given back, uncharged, since its submission or its latest redrive. */
  readonly releases: number;
  /** The task's `maxReleases`. */
  readonly maxReleases: number;

  /** @param reason - that of the release */
  constructor({ releases, maxReleases }: ReleaseCounts, reason?: string) {
    super(
      'RELEASES_EXHAUSTED',
      `the handler released its run, which had been given back ${releases} times already; ` +
        `maxReleases is ${maxReleases}${reason === undefined ? '' : ` (reason: ${reason})`}`,
    );
    this.releases = releases;
    this.maxReleases = maxReleases;
  }
}

interface ReleaseCounts {
  readonly releases: number;
  readonly maxReleases: number;
}

/**
 * The awaited run ended in another state than `completed`. The message has the name and the message of the latest attempt's error, at
 * most 200 characters of each, without passwords.
 */
export class RunFailedError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'RunFailedError';
  /** The id of the awaited run. */
  readonly id: string;
  /** The state in which the run ended. */
  readonly state: string;
  /** `name` of the error of the latest attempt; absent when no attempt failed. */
  readonly errorName: string | undefined;
  /** `message` of that error. */
  readonly errorMessage: string | undefined;

  /** @param last - the error of the latest attempt; it becomes the `cause` */
  constructor(id: string, state: string, last?: AttemptError) {
    super('RUN_FAILED', `run ${id} is ${state}${latestError(last)}`, last && { cause: asError(last) });
    this.id = id;
    this.state = state;
    this.errorName = last?.name;
    this.errorMessage = last?.message;
  }
}

/** Says what failed, for logs that print the message alone: without passwords, as the message of a handler may have some. */
function latestError(last: AttemptError | undefined): string {
  if (last === undefined) return '';
  return `; its latest error: ${shorten(last.name)}: ${shorten(hideSecrets(last.message))}`;
}

/** Turns the stored error of an attempt into an `Error`. */
function asError({ message, stack, ...rest }: AttemptError): Error {
  const error = Object.assign(new Error(message), rest);
  error.stack = stack ?? `${rest.name}: ${message}`;
  return error;
}

/** The awaited run, or its result, is not stored. */
export class RunForgottenError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'RunForgottenError';
  /** The id of the awaited run. */
  readonly id: string;
  /** What stands for the state in which the run ended, which is not known; `completed` where its result alone is not. */
  readonly state: 'forgotten' | 'completed';

  /** @param what - what is not stored */
  constructor(id: string, what: 'run' | 'result' = 'run') {
    const cause =
      what === 'run'
        ? 'is not kept: it ended and retention removed it, it was discarded, the transaction that submitted it was not committed, or no run ever had this id'
        : 'has completed, and its result is forgotten: those that are kept would take more bytes than keepCompleted.bytes of the broker';
    const cure = 'Submit with keepResult, or use submitAndWait, and its result is kept until it is read.';
    super('RUN_FORGOTTEN', `run ${id} ${cause}. ${cure}`);
    this.state = what === 'run' ? 'forgotten' : 'completed';
    this.id = id;
  }
}

/** The awaited run did not end in time; it keeps running. */
export class WaitTimeoutError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'WaitTimeoutError';
  /** Empty when the submission itself was not answered in time. */
  readonly id: string;
  /** The state that was read last; `unsubmitted` before the first read. */
  readonly state: string;

  /** @param cause - why the broker could not be asked, if it could not */
  constructor({ id, state, timeoutMs }: { id: string; state: string; timeoutMs: number }, cause?: unknown) {
    const run = id === '' ? 'the run' : `run ${id}`;
    const message =
      state === 'unsubmitted'
        ? `${run} was not ${id === '' ? 'submitted' : 'read'} within ${formatDuration(timeoutMs)}: the broker has not answered. It is not cancelled. ` +
          'Use a longer timeout, or check that the broker can be reached.'
        : `${run} is still ${state} after ${formatDuration(timeoutMs)}. ` +
          'It is not cancelled. Use a longer timeout, or check with queue.unattended() that a worker knows its task.';
    super('WAIT_TIMEOUT', message, cause === undefined ? undefined : { cause });
    this.id = id;
    this.state = state;
  }
}

/** What happened to each payload of a `submitMany` that failed after some runs had been stored. */
interface PartlySubmitted {
  /** The stored runs, in the order of their payloads. */
  readonly submitted: readonly { readonly id: string; readonly isNew: boolean }[];
  /** Ids of runs that may or may not be stored: the broker's answer was lost. */
  readonly unknown: readonly string[];
  /** Indexes of the payloads that were not stored, counted from 0. */
  readonly notSubmitted: readonly number[];
}

/** `submitMany` failed after some runs had been stored; its fields say what happened to each payload. */
export class PartlySubmittedError extends RetryError<WorkerErrorCode> implements PartlySubmitted {
  override readonly name: string = 'PartlySubmittedError';
  readonly submitted: PartlySubmitted['submitted'];
  readonly unknown: readonly string[];
  readonly notSubmitted: readonly number[];

  constructor({ submitted, unknown, notSubmitted }: PartlySubmitted, cause: unknown) {
    super(
      'PARTLY_SUBMITTED',
      `${submitted.length} runs were submitted, ${notSubmitted.length} were not, and ${unknown.length} may have been. ` +
        'Submit the payloads of notSubmitted again.',
      { cause },
    );
    this.submitted = submitted;
    this.unknown = unknown;
    this.notSubmitted = notSubmitted;
  }
}

/** A broker without `figures` was asked what only that knows. */
export class InsightError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'InsightError';

  /** @param call - what needs insight */
  constructor(call: string) {
    const cure = 'Use a broker that has it: createMemoryBroker, createRedisBroker or createPostgresBroker.';
    super('NO_INSIGHT', `${call} needs a broker with insight. ${cure}`);
  }
}

/** An operation on dead letters cannot be kept, or is not known. */
export class OperationError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'OperationError';
}

/** The error of one operation too many. */
export function tooManyOperations(): OperationError {
  return new OperationError(
    'TOO_MANY_OPERATIONS',
    '100 operations have not ended. Cancel those that are not needed: queue.operations.list() has them.',
  );
}

/** The error of a wait for an operation that is not kept. */
export function unknownOperation(id: string): OperationError {
  return new OperationError(
    'UNKNOWN_OPERATION',
    `there is no operation ${id}: the latest 100 that have ended are kept.`,
  );
}

/** The error of a wait that took too long. */
export function operationTimeout(id: string, state: string): OperationError {
  return new OperationError('WAIT_TIMEOUT', `operation ${id} is still ${state}. It goes on; wait again.`);
}

/** The error of an exchange whose reply cannot be read. */
export function wrongReply(missing: readonly string[]): RetryError<WorkerErrorCode> {
  return new RetryError(
    'WRONG_REPLY',
    `the broker's reply to an exchange has no ${missing.join(', ')}: exchange must return { settled, claimed, now }.`,
  );
}

/** The error of a drain that ended before its broker had answered or rejected anything. @param endedBy - the option that ended it */
export function noAnswer(endedBy: string): RetryError<WorkerErrorCode> {
  return new RetryError(
    'NO_ANSWER',
    `the broker answered no claim until ${endedBy} ended the drain, so it is not known whether anything is due. Start its server, correct its url, or give the drain longer.`,
  );
}

/** The error of a start of a worker that was stopped. */
export function workerStopped(name: string): RetryError<WorkerErrorCode> {
  return new RetryError(
    'WORKER_STOPPED',
    `the worker ${name} was stopped and does not start again. Create another one with createWorker.`,
  );
}

/** @param does - what the worker does already: `works until it is stopped`, or `drains` */
export function workerStarted(name: string, does: string): RetryError<WorkerErrorCode> {
  return new RetryError(
    'WORKER_STARTED',
    `the worker ${name} ${does}: start() works until stop(), drain() once. Create another worker with createWorker.`,
  );
}

/** The error of a call whose options are required and were left out. */
export function missingOptions(subject: string, keys: readonly string[]): InvalidOptionsError {
  const cure = `Its keys are ${keys.join(', ')}.`;
  const problem: Problem = { path: '', value: undefined, message: 'must be an object', cure };
  return new InvalidOptionsError([problem], subject);
}
