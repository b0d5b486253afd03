import type { PolicyInput } from '@retry/core';
import { extendPolicy, InvalidOptionsError } from '@retry/core';
import type { Task } from '../task/task.ts';
import { isTask } from '../task/task.ts';

/** Returns the task without delays, before its first attempt or between attempts, for tests that are not about time. */
export function instantRetries<Payload, Result, Submitted>(
  task: Task<Payload, Result, Submitted>,
): Task<Payload, Result, Submitted> {
  if (!isTask(task)) {
    const cure =
      'Use the task itself, made by defineTask; instantRetries of @retry/inprocess/testing takes a policy.';
    const problem = { path: 'task', value: task, message: 'must be a task', cure };
    throw new InvalidOptionsError([problem], 'instantRetries');
  }
  return Object.freeze({
    ...task,
    retry: extendPolicy(task.retry, NO_DELAYS),
    rateLimitRetry: extendPolicy(task.rateLimitRetry, NO_DELAYS),
  });
}

const NO_DELAYS: PolicyInput = {
  backoff: { type: 'none' },
  delays: [],
  jitter: 'none',
  minDelay: 0,
  granularity: 0,
  initialDelay: 0,
  retryAfter: { mode: 'ignore' },
};
