import { RetryError } from '@retry/core';
import type { Broker, Insight } from '@retry/core/broker';
import type { WorkerErrorCode } from '../errors.ts';

/** A broker without `insight` was asked what only that knows. */
export class InsightError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'InsightError';
}

/** Returns the insight of a broker. @param call - what needs it. @throws {InsightError} `NO_INSIGHT` when it has none */
export function insightOf({ insight }: Broker, call: string): Insight {
  if (insight !== undefined) return insight;
  const cure = 'Use a broker that has it: createMemoryBroker, createRedisBroker or createPostgresBroker.';
  throw new InsightError('NO_INSIGHT', `${call} needs a broker with insight. ${cure}`);
}
