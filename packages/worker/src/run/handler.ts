import { isRetryError } from '@retry/core';
import type { RetryBudget } from '@retry/core/budget';
import { wasCutFor } from '@retry/core/fields';
import { NotCommittedError } from '../errors.ts';
import { areHandlersObserved, observeHandler } from '../session/observed-calls.ts';
import type { Outcome } from '../settle/outcome.ts';
import { RELEASED } from '../settle/outcome.ts';
import { readPayload, writeResult } from '../task/payload.ts';
import { checkPayload } from '../task/schema.ts';
import type { RunningAttempt } from './context.ts';
import { HandlerContext } from './context.ts';
import { ReleaseRequested, requestOf } from './requests.ts';

/** An attempt whose handler is to be called. */
export interface HandlerAttempt extends RunningAttempt {
  /** Ends it with this outcome, unless it has ended. */
  readonly end: (outcome: Outcome) => void;
  /** Ends it with this error because its time is over, whether or not its own timer has fired. */
  readonly expire: (error: unknown) => void;
}

/**
 * Reads the payload, calls the handler, and ends the attempt with its outcome; every error becomes one. The attempt is ended here,
 * because a promise of the outcome would cost every run two more of them.
 */
export async function runHandler(attempt: HandlerAttempt): Promise<void> {
  // A turn of its own, so that stacks of errors show the handler and not the worker's frames below it.
  await undefined;
  const { task, run } = attempt;
  let payload: unknown;
  try {
    payload = readPayload(run.payload);
    if (task.schema !== undefined) payload = await checkPayload(task.schema, payload);
  } catch (error) {
    // A validator that throws has not judged the payload: it may have asked a database that is down.
    return attempt.end(
      isRetryError(error, 'INVALID_PAYLOAD') ? { type: 'unreadable', error } : failureOf(error),
    );
  }
  // Again, if the handler of another run has blocked the event loop since the answer.
  while (attempt.isLeaseShort) if (!(await attempt.renewLease())) return attempt.end(RELEASED);
  // Validating may take long; meanwhile the attempt may have been cancelled or have lost its lease.
  if (attempt.isStopped) return attempt.end(RELEASED);
  let outcome: Outcome;
  const ctx = new HandlerContext(attempt);
  try {
    // Awaited here: each further async function costs every run two promises.
    const result: unknown = await (areHandlersObserved()
      ? observeHandler(attempt, () => task.run(payload, ctx))
      : task.run(payload, ctx));
    outcome = { type: 'completed', result: writeResult(result, task.maxResultBytes) };
  } catch (error) {
    // A call inside it has a timer for the same instant.
    if (wasCutFor(error, ctx) && !attempt.isCompleting) return attempt.expire(error);
    outcome = failureOf(error);
  }
  if (attempt.requested !== undefined) outcome = withRequest(outcome, attempt.requested.thrown);
  if (task.budget?.ready !== undefined && isFailure(outcome)) await untilReady(task.budget);
  attempt.end(attempt.isCompleting ? await afterCompletion(attempt, outcome) : outcome);
}

/** A budget that throws here is asked nonetheless. */
async function untilReady(budget: RetryBudget): Promise<void> {
  try {
    await budget.ready?.();
  } catch {
    // What is wrong with it is reported when it is asked.
  }
}

function isFailure({ type }: Outcome): boolean {
  return type === 'failed' || type === 'asked';
}

function failureOf(error: unknown): Outcome {
  const asked = requestOf(error);
  if (asked === undefined) return { type: 'failed', error, isTimeout: false };
  if (asked instanceof ReleaseRequested) return { type: 'released', request: asked.request };
  return { type: 'asked', request: asked.request, error: asked.error };
}

/** What the handler has asked for counts, also if it has caught what that threw. What it threw itself is the error of a retry. */
function withRequest(outcome: Outcome, thrown: unknown): Outcome {
  const requested = failureOf(thrown);
  if (outcome.type !== 'failed' || requested.type !== 'asked' || requested.request.error !== undefined)
    return requested;
  const { error } = outcome;
  return { ...requested, error, request: { ...requested.request, error } };
}

/** Once a handler has called `ctx.complete`, only the commit counts. */
async function afterCompletion(attempt: RunningAttempt, outcome: Outcome): Promise<Outcome> {
  const isCommitted = await attempt.hasCommitted();
  // The transaction has stored the result; this settlement is answered `already`.
  if (isCommitted) return { type: 'completed', result: 'null', isCommitted };
  // Unless the call was refused meanwhile.
  if (outcome.type !== 'completed' || !attempt.isCompleting) return outcome;
  return { type: 'failed', error: new NotCommittedError(), isTimeout: false };
}
