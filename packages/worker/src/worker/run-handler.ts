import { checkPayload, readPayload } from '../task/payload.ts';
import type { Execution } from './execution.ts';
import { HandlerContext } from './handler-context.ts';
import type { Outcome } from './outcome.ts';
import { RetryRequested } from './outcome.ts';
import { writeResult } from './write-result.ts';

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
  try {
    const result: unknown = await task.run(payload, new HandlerContext(execution));
    return { type: 'completed', result: writeResult(result) };
  } catch (error) {
    if (error instanceof RetryRequested) return { type: 'asked', request: error.request };
    return { type: 'failed', error, isTimeout: false };
  }
}
