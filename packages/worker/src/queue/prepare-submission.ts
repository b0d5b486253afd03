import type { Submission } from '@retry/core/broker';
import { checkPayload, writePayload } from '../task/payload.ts';
import type { AnyTask } from '../task/task.ts';
import { createRunId } from './create-run-id.ts';
import type { SubmitSettings } from './submit-options.ts';
import { MAX_CONCURRENCY } from './submit-options.ts';

/** What a broker is to keep of a submission. @throws {PayloadError} when it must not be kept */
export async function prepareSubmission(
  task: AnyTask,
  payload: unknown,
  { keyedId, runAt, delayMs, concurrency = ofTask(task), keepResultMs }: SubmitSettings,
): Promise<Submission> {
  await checkPayload(task.schema, payload);
  // Whatever else it waits for, its first attempt waits for the policy's initial delay.
  const firstMs = Math.max(delayMs ?? 0, task.retry.initialDelayMs);
  return {
    id: keyedId ?? createRunId(),
    lane: task.lane,
    payload: writePayload(payload, task.maxPayloadBytes),
    ...(keyedId !== undefined && { keyed: true }),
    ...(runAt !== undefined && { runAt }),
    ...((delayMs !== undefined || firstMs > 0) && { delayMs: firstMs }),
    ...(keepResultMs !== undefined && { keepResultMs: Math.ceil(keepResultMs) }),
    ...(concurrency !== undefined && {
      concurrency: { ...concurrency, whenFull: task.whenFull === 'wait' ? 'wait' : 'claim' },
    }),
  };
}

function ofTask({ lane, globalConcurrency }: AnyTask): SubmitSettings['concurrency'] {
  if (globalConcurrency === Infinity) return undefined;
  return { key: lane, limit: Math.min(globalConcurrency, MAX_CONCURRENCY) };
}

/** About how many bytes a submission takes on its way; counts characters, as most text is plain. */
export function submissionBytes({ payload }: Submission): number {
  return 256 + payload.length;
}
