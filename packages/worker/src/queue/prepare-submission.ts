import type { Duration } from '@retry/core';
import { parseDuration } from '@retry/core';
import type { Concurrency, Submission } from '@retry/core/broker';
import { PayloadError } from '../errors.ts';
import { checkPayload, writePayload } from '../task/payload.ts';
import type { AnyTask } from '../task/task.ts';
import type { SubmitOptions } from './create-queue.ts';
import { createRunId } from './create-run-id.ts';

/** What a broker is to keep of a submission. @throws {PayloadError} when it must not be kept */
export async function prepareSubmission(
  task: AnyTask,
  payload: unknown,
  { key, runAt, delay, concurrency }: SubmitOptions,
): Promise<Submission> {
  await checkPayload(task.schema, payload);
  const shared = concurrency === undefined ? ofTask(task) : readConcurrency(concurrency);
  return {
    id: key ?? createRunId(),
    lane: task.lane,
    payload: writePayload(payload, task.maxPayloadBytes),
    ...(runAt !== undefined && { runAt: readRunAt(runAt) }),
    ...(delay !== undefined && { delayMs: readDelay(delay) }),
    ...(shared !== undefined && {
      concurrency: { ...shared, whenFull: task.whenLimited === 'wait' ? 'wait' : 'claim' },
    }),
  };
}

type Shared = Pick<Concurrency, 'key' | 'limit'>;

function ofTask({ lane, globalConcurrency }: AnyTask): Shared | undefined {
  return globalConcurrency < Infinity ? { key: lane, limit: globalConcurrency } : undefined;
}

function readConcurrency({ key, limit }: Shared): Shared {
  if (typeof key === 'string' && Number.isInteger(limit) && limit >= 1) return { key, limit };
  throw new PayloadError(
    `concurrency must be { key, limit } with text and an integer ≥ 1, got ${String(key)} and ${String(limit)}.`,
  );
}

function readRunAt(runAt: number): number {
  if (Number.isFinite(runAt)) return runAt;
  throw new PayloadError(
    `runAt must be finite epoch milliseconds, got ${String(runAt)}. Use Date.now() + ms.`,
  );
}

function readDelay(delay: Duration): number {
  const delayMs = parseDuration(delay);
  if (delayMs !== undefined && delayMs < Infinity) return delayMs;
  throw new PayloadError(
    `delay must be a finite duration ≥ 0, got ${String(delay)}. Use '30s' or milliseconds.`,
  );
}
