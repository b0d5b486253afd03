import { definePolicy, type Policy, type PolicyInput } from '@retry/core';
import * as slim from '@retry/inprocess/slim';
import type { AttemptContext } from '../../packages/inprocess/src/index.ts';

export { createRetryBudget, createRetryGroup, tryRetry } from '../../packages/inprocess/src/index.ts';

/** `withRetry` of the slim entry, with the policy defined before. */
export function withRetry(
  fn: (...parameters: unknown[]) => unknown,
  policy?: Policy | PolicyInput,
  options?: slim.SlimOptions,
): (...parameters: unknown[]) => Promise<unknown> {
  return slim.withRetry(fn, definePolicy(policy), options);
}

/** `retry` of the slim entry, with the policy defined before. */
export function retry(
  fn: (context: AttemptContext) => unknown,
  policy?: Policy | PolicyInput,
  options?: slim.SlimOptions,
): Promise<unknown> {
  return slim.retry(fn, definePolicy(policy), options);
}

export const { retryInfo } = slim;
