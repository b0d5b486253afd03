import { NotCommittedError } from '../errors.ts';
import type { Outcome } from '../settle/outcome.ts';
import { requestOf } from '../settle/outcome.ts';
import { checkPayload, readPayload } from '../task/payload.ts';
import { writeResult } from '../task/write-result.ts';
import { HandlerContext } from './context.ts';
import type { Execution } from './execution.ts';

/** Reads the payload and calls the handler. Never rejects: whatever happens is an outcome. */
export async function runHandler(execution: Execution): Promise<Outcome> {
  const { task, run } = execution;
  // In a turn of its own, so that the stack of an error shows the handler and not the whole worker below it.
  await undefined;
  let payload: unknown;
  try {
    payload = readPayload(run.payload);
    if (task.schema !== undefined) payload = await checkPayload(task.schema, payload);
  } catch (error) {
    return { type: 'unreadable', error };
  }
  // Checking the payload may take its time, and somebody else may hold the run by now.
  if (execution.hasEnded) return { type: 'released' };
  const outcome = await callHandler(execution, payload);
  return execution.isCompleting ? afterCompletion(execution, outcome) : outcome;
}

async function callHandler(execution: Execution, payload: unknown): Promise<Outcome> {
  const { task } = execution;
  try {
    const result: unknown = await task.run(payload, new HandlerContext(execution));
    return { type: 'completed', result: writeResult(result, task.maxResultBytes) };
  } catch (error) {
    const asked = requestOf(error);
    if (asked === undefined) return { type: 'failed', error, isTimeout: false };
    return { type: 'asked', request: asked.request, error: asked.error };
  }
}

/** Once a handler has completed its run in a transaction of its own, only the commit counts. */
async function afterCompletion(execution: Execution, outcome: Outcome): Promise<Outcome> {
  const isCommitted = await execution.hasCommitted();
  // The result was written by the transaction; this one is answered `already`.
  if (isCommitted) return { type: 'completed', result: 'null', isCommitted };
  if (outcome.type !== 'completed') return outcome;
  return { type: 'failed', error: new NotCommittedError(), isTimeout: false };
}
