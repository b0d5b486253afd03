import type { Policy, PolicyInput, Problem } from '@retry/core';
import { definePolicy, InvalidOptionsError, isPolicy, TASK_POLICY } from '@retry/core';
import { writtenIn } from '@retry/core/fields';

/**
 * Defines the policy at `key`: what is written there, completed by the defaults of tasks. A policy that `definePolicy` made
 * is taken as it is: it means the same here as everywhere. Its problems go to the report under that key.
 */
export function readRetryPolicy(key: string, input: unknown, report: (problem: Problem) => void): Policy {
  try {
    return isPolicy(input) ? input : taskPolicy(input);
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    for (const problem of error.problems)
      report({ ...problem, path: problem.path === '' ? key : `${key}.${problem.path}` });
    return definePolicy(TASK_POLICY);
  }
}

/** A key of ours stands only where nothing was written: not even something wrong, which is then reported. */
function taskPolicy(input: unknown): Policy {
  if (input === undefined) return definePolicy(TASK_POLICY);
  const written = writtenIn(input);
  if (written === undefined) return definePolicy(input as PolicyInput); // says what is wrong with it
  const { jitter, retryAfter: ours, ...defaults } = TASK_POLICY;
  const { backoff, retryAfter: given } = written;
  const theirs = writtenIn(given, ['max', 'mode']);
  return definePolicy({
    ...defaults,
    // Jitter goes with its backoff: some draw by themselves.
    ...(backoff === undefined && { jitter }),
    maxDelay: capFor(backoff),
    ...written,
    ...((given === undefined || theirs !== undefined) && { retryAfter: { ...ours, ...theirs } }),
  });
}

/** The cap of tasks, or the longest delay that was written where that is longer: a constant '1h' waits an hour. */
function capFor(backoff: unknown): number {
  const { maxDelayMs } = definePolicy(TASK_POLICY);
  try {
    return Math.max(
      maxDelayMs,
      backoff === undefined ? 0 : definePolicy({ backoff } as PolicyInput).maxDelayMs,
    );
  } catch {
    return maxDelayMs; // what is wrong with the backoff is reported with everything else
  }
}
