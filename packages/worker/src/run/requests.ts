import type { Problem } from '@retry/core';
import { InvalidOptionsError } from '@retry/core';
import { MAX_STARTS } from '@retry/core/broker/kit';
import { QUEUE_SYNONYMS, readOptions, withCause } from '@retry/core/fields';
import { A_DELAY, A_HOLD_LENGTH, A_REASON, readInstant } from '../option-rules.ts';
import type { AskedRetry, Outcome, Release } from '../settle/outcome.ts';
import type { Completion, HandlerHold, ReleaseRequest, RetryRequest } from '../task/task-context.ts';

const RELEASE_KEYS: readonly (keyof ReleaseRequest)[] = ['delay', 'reason'];
const HOLD_KEYS: readonly (keyof HandlerHold)[] = ['for', 'reason'];
const RETRY_KEYS: readonly (keyof RetryRequest)[] = ['delay', 'at', 'error', 'maxAttempts'];
const COMPLETION_KEYS: readonly (keyof Completion)[] = ['tx', 'result'];

/** Thrown by `ctx.retry` to end the handler; the worker catches it, and knows of it if the handler does. */
export class RetryRequested extends Error {
  override readonly name: string = 'RetryRequested';
  readonly request: AskedRetry;
  /** The error to record: the handler's own, or one that says that it asked for a retry. */
  readonly error: unknown;

  constructor(request: AskedRetry) {
    super('the handler asked for a retry');
    this.request = request;
    this.error = request.error ?? new Error('the handler asked for a retry');
  }
}

/** Thrown by `ctx.release` to end the handler; the worker catches it, and knows of it if the handler does. */
export class ReleaseRequested extends Error {
  override readonly name: string = 'ReleaseRequested';
  readonly request: Release;

  constructor(request: Release) {
    super('the handler released its run');
    this.request = request;
  }
}

/** Returns the outcome of a handler that threw. Never throws, whatever was thrown. */
export function outcomeOfError(error: unknown): Outcome {
  const asked = requestOf(error);
  if (asked === undefined) return { type: 'failed', error, isTimeout: false };
  if (asked instanceof ReleaseRequested) return { type: 'released', request: asked.request };
  return { type: 'asked', request: asked.request, error: asked.error };
}

function requestOf(thrown: unknown): RetryRequested | ReleaseRequested | undefined {
  try {
    return thrown instanceof RetryRequested || thrown instanceof ReleaseRequested ? thrown : undefined;
  } catch {
    return undefined; // a Proxy may throw at instanceof
  }
}

/**
 * Returns the outcome of a handler that has called `ctx.retry` or `ctx.release`: what it has asked for counts, also if it has caught what
 * that threw. What it threw itself is the error of a retry.
 */
export function withRequest(outcome: Outcome, thrown: unknown): Outcome {
  const requested = outcomeOfError(thrown);
  if (outcome.type !== 'failed' || requested.type !== 'asked' || requested.request.error !== undefined)
    return requested;
  const { error } = outcome;
  return { ...requested, error, request: { ...requested.request, error } };
}

/** Reads the argument of `ctx.retry`. @throws {InvalidOptionsError} listing every problem; its cause is the handler's error */
export function readRetryRequest(request: RetryRequest): AskedRetry {
  const subject = { subject: 'ctx.retry', keys: RETRY_KEYS, synonyms: QUEUE_SYNONYMS };
  let error: unknown;
  const read = (): AskedRetry =>
    readOptions(request, subject, (fields) => {
      error = fields.value('error');
      const maxAttempts = fields.optional('maxAttempts', A_COUNT);
      return {
        delayMs: fields.value('delay') === undefined ? undefined : fields.duration('delay', 0, A_DELAY),
        at: readInstant(fields, 'at'),
        maxAttempts: maxAttempts === 'Infinity' ? Infinity : maxAttempts,
        error,
      };
    });
  return withCause(() => error, read);
}

/** Reads the argument of `ctx.release`. @throws {InvalidOptionsError} listing every problem */
export function readReleaseRequest(request: ReleaseRequest): Release {
  return readOptions(
    request,
    { subject: 'ctx.release', keys: RELEASE_KEYS, synonyms: QUEUE_SYNONYMS },
    (fields) => ({
      delayMs: fields.duration('delay', 0, A_DELAY),
      reason: fields.optional('reason', A_REASON),
    }),
  );
}

/** A lane's pause that a handler asks for. */
interface LaneHold {
  readonly forMs: number;
  readonly reason?: string | undefined;
}

/** Reads the argument of `ctx.hold`. @throws {InvalidOptionsError} listing every problem */
export function readHandlerHold(request: HandlerHold): LaneHold {
  return readOptions(request, { subject: 'ctx.hold', keys: HOLD_KEYS }, (fields) => ({
    forMs: fields.duration('for', undefined, A_HOLD_LENGTH),
    reason: fields.optional('reason', A_REASON),
  }));
}

/** Checks the argument of `ctx.complete`. @throws {InvalidOptionsError} listing every problem */
export function readCompletion(completion: Completion): Completion {
  return readOptions(
    completion,
    { subject: 'ctx.complete', keys: COMPLETION_KEYS, synonyms: QUEUE_SYNONYMS },
    (fields) => {
      if (fields.value('tx') === undefined || fields.value('tx') === null)
        fields.fail('tx', 'must be the client that began the transaction', 'Without one, return the result.');
      return completion;
    },
  );
}

/** Whether a value is what `ctx.spend` takes. */
export function isSpent(actual: unknown): boolean {
  return typeof actual === 'number' && actual >= 0 && actual <= MAX_STARTS;
}

/** Returns the error of a call of `ctx.spend` that corrects nothing. */
export function wrongSpent(actual: unknown, problem: SpentProblem = A_SPENT): InvalidOptionsError {
  return new InvalidOptionsError([{ path: 'actual', value: actual, ...problem }], 'ctx.spend');
}

type SpentProblem = Pick<Problem, 'message' | 'cure'>;

const A_SPENT: SpentProblem = {
  message: 'must be a number from 0 to 1e9',
  cure: 'Pass what the attempt has cost in all. Until then it counts as what was estimated.',
};

/** Why nothing is corrected for a task without the option. */
export const NO_LIMIT: SpentProblem = {
  message: 'corrects nothing: the task has no globalRateLimit',
  cure: 'Give the task one, or leave out ctx.spend.',
};

const A_COUNT = {
  accepts: (value: unknown): value is NonNullable<RetryRequest['maxAttempts']> =>
    value === 'Infinity' || value === Infinity || (Number.isInteger(value) && Number(value) >= 1),
  message: 'must be an integer ≥ 1 or Infinity',
  cure: 'It counts executions, the first included.',
};
