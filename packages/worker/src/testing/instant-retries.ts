import { extendPolicy } from '@retry/core';
import type { Task } from '../task/task.ts';

/** The same task without waits between its attempts, for tests that do not care about time. */
export function instantRetries<Payload, Result, Submitted>(
  task: Task<Payload, Result, Submitted>,
): Task<Payload, Result, Submitted> {
  const atOnce = { backoff: { type: 'none' }, jitter: 'none', minDelay: 0, granularity: 0 } as const;
  return Object.freeze({
    ...task,
    retry: extendPolicy(task.retry, atOnce),
    rateLimitRetry: extendPolicy(task.rateLimitRetry, atOnce),
  });
}
