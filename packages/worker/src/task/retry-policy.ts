import type { Policy, PolicyInput, Problem } from '@retry/core';
import { definePolicy, InvalidOptionsError, isPolicy, TASK_POLICY } from '@retry/core';
import type { Report } from '@retry/core/fields';
import { settingsOf, writtenIn } from '@retry/core/fields';

/**
 * Reads the policy at `key`: options are completed by the defaults of tasks, a policy that `definePolicy` made is used
 * unchanged, so that it means the same everywhere. Problems are reported under that key.
 */
export function readRetryPolicy(key: string, input: unknown, report: Report): Policy {
  try {
    return isPolicy(input) ? input : taskPolicy(input);
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    for (const problem of error.problems) report(problemBelow(key, problem));
    return defaultPolicy();
  }
}

/** Returns the problem of a policy as one of the option at `key`. */
export function problemBelow(key: string, problem: Problem): Problem {
  return { ...problem, path: problem.path === '' ? key : `${key}.${problem.path}` };
}

let known: Policy | undefined;

/** The policy of tasks that have none of their own. One serves all: it is frozen, and defining it takes longer than the rest. */
function defaultPolicy(): Policy {
  known ??= definePolicy(TASK_POLICY);
  return known;
}

/** A default applies only to keys that were not written; a wrong value is reported, not replaced. */
function taskPolicy(input: unknown): Policy {
  if (input === undefined) return defaultPolicy();
  const written = writtenIn(input);
  if (written === undefined) return definePolicy(input as PolicyInput); // throws: it is not an object of options
  const { jitter, retryAfter: ours, ...defaults } = TASK_POLICY;
  const { backoff, delays, retryAfter: given } = written;
  const theirs = writtenIn(given, ['max', 'mode', 'beyondMax', 'jitter']);
  return definePolicy({
    ...defaults,
    // The default jitter belongs to the default backoff: some strategies draw by themselves.
    ...(backoff === undefined && { jitter }),
    maxDelay: capFor({ backoff, delays }),
    ...written,
    ...((given === undefined || theirs !== undefined) && { retryAfter: { ...ours, ...theirs } }),
  });
}

/** The default cap of tasks, raised to the longest written delay: a constant '1h' waits an hour. */
function capFor(written: { readonly backoff: unknown; readonly delays: unknown }): number {
  const { maxDelayMs } = settingsOf(defaultPolicy());
  if (written.backoff === undefined && written.delays === undefined) return maxDelayMs;
  try {
    return Math.max(maxDelayMs, settingsOf(definePolicy(written as PolicyInput)).maxDelayMs);
  } catch {
    return maxDelayMs; // a wrong backoff is reported together with all other problems
  }
}
