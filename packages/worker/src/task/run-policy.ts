import type { Policy } from '@retry/core';
import { InvalidOptionsError, isEligible, parsePolicy } from '@retry/core';
import type { Run } from '@retry/core/broker';
import { problemBelow } from './retry-policy.ts';
import type { AnyTask } from './task.ts';

/** How many policies of submissions are remembered for each task. */
const MAX_REMEMBERED = 200;

/** The task by which a run is executed and settled. */
export interface RunTask {
  /** The task, with the policy that the run was submitted with, if it has one. */
  readonly task: AnyTask;
  /** Why that policy cannot be read; the task then has its own. */
  readonly unreadable?: InvalidOptionsError;
}

/** The tasks that were made for policies of submissions, by their text, the latest last. */
const remembered = new WeakMap<AnyTask, Map<string, RunTask>>();

/** Returns the task with the policy of this run. Each text is parsed once, as long as it is remembered. */
export function taskOfRun(task: AnyTask, { retry }: Pick<Run, 'retry'>): RunTask {
  if (retry === undefined) return { task };
  let byText = remembered.get(task);
  if (byText === undefined) {
    byText = new Map();
    remembered.set(task, byText);
  }
  const known = byText.get(retry) ?? readTask(task, retry);
  byText.delete(retry);
  byText.set(retry, known);
  const [oldest] = byText.keys();
  if (byText.size > MAX_REMEMBERED && oldest !== undefined) byText.delete(oldest);
  return known;
}

function readTask(task: AnyTask, text: string): RunTask {
  try {
    return { task: Object.freeze({ ...task, retry: parsePolicy(text) }) };
  } catch (error) {
    if (!(error instanceof InvalidOptionsError)) throw error;
    const problems = error.problems.map((problem) => problemBelow('retry', problem));
    return { task, unreadable: new InvalidOptionsError(problems, 'policy of the run') };
  }
}

/**
 * Returns whether a run that is redriven with its attempts kept may start once more: by the policy that it was submitted with, or where
 * it has none, or none that can be read, by that of its task, as it is executed.
 */
export function hasAttemptsLeft(run: Run, ofTask: Parameters<typeof isEligible>[0]): boolean {
  return isEligible((run.retry !== undefined && policyOf(run.retry)) || ofTask, run);
}

function policyOf(text: string): Policy | undefined {
  try {
    return parsePolicy(text);
  } catch {
    return undefined;
  }
}
