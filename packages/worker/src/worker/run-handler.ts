import { parseDuration } from '@retry/core';
import { checkPayload, readPayload } from '../task/payload.ts';
import type { RetryRequest, TaskContext } from '../task/task.ts';
import type { Execution } from './execution.ts';
import type { Outcome } from './outcome.ts';
import { RetryRequested } from './outcome.ts';
import { attemptOf } from './settle-outcome.ts';
import { writeResult } from './write-result.ts';

type Log = (message: string, details: unknown) => void;

/** Reads the payload and calls the handler. Never rejects: whatever happens is an outcome. */
export async function runHandler(execution: Execution, log: Log): Promise<Outcome> {
  const { task, run } = execution;
  let payload: unknown;
  try {
    payload = await checkPayload(task.schema, readPayload(run.payload));
  } catch (error) {
    return { type: 'unreadable', error };
  }
  // Checking the payload may take its time, and somebody else may hold the run by now.
  if (execution.hasEnded) return { type: 'released' };
  try {
    const result: unknown = await task.run(payload, createContext(execution, log));
    return { type: 'completed', result: writeResult(result) };
  } catch (error) {
    if (error instanceof RetryRequested) return { type: 'asked', request: error.request };
    return { type: 'failed', error, isTimeout: false };
  }
}

function createContext(execution: Execution, log: Log): TaskContext {
  const { run, task } = execution;
  return {
    id: run.id,
    attempt: attemptOf(run),
    maxAttempts: task.retry.retryable ? task.retry.maxAttempts : 1,
    epoch: run.epoch,
    get signal() {
      return execution.signal;
    },
    heartbeat: () => execution.heartbeat(),
    retry: requestRetry,
    complete: (completion) => execution.complete(completion),
    log: (message, details) => log(message, details),
    get remainingMs() {
      return execution.remainingMs;
    },
  };
}

function requestRetry(request: RetryRequest = {}): never {
  const { delay, at } = request;
  if (delay !== undefined && !Number.isFinite(parseDuration(delay))) {
    throw new TypeError(
      `ctx.retry({ delay }) must be a finite duration ≥ 0, got ${String(delay)}. Use '30s' or ms.`,
    );
  }
  if (at !== undefined && !Number.isFinite(at)) {
    throw new TypeError(`ctx.retry({ at }) must be finite epoch milliseconds, got ${String(at)}.`);
  }
  throw new RetryRequested(request);
}
