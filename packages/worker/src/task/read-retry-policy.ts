import type { Policy, PolicyInput, Problem } from '@retry/core';
import { definePolicy, PolicyError } from '@retry/core';

/** Defines the policy at `key`; its problems go to the report under that key. `undefined` when it has any. */
export function readRetryPolicy(
  key: string,
  input: Policy | PolicyInput | undefined,
  report: (problem: Problem) => void,
): Policy | undefined {
  try {
    return definePolicy(input);
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    for (const problem of error.problems)
      report({ ...problem, path: problem.path === '' ? key : `${key}.${problem.path}` });
    return undefined;
  }
}
