export type { CancelTimer, Clock } from '@retry/core';
export type { AttemptContext } from './attempt-context.ts';
export type { FailedAttempt } from './failed-attempt.ts';
export type {
  AttemptEvent,
  GiveUpEvent as StopEvent,
  GiveUpReason as StopReason,
  NestedEvent,
  ParentAttempt,
  RetryEvent,
  RetryHooks,
  RetryOptions,
} from './options.ts';
export { retry } from './retry.ts';
export type { RetryBudget, RetryBudgetOptions } from './retry-budget.ts';
export { createRetryBudget } from './retry-budget.ts';
export type { RetryGroup, RetryGroupOptions, WaitingCall } from './retry-group.ts';
export { createRetryGroup } from './retry-group.ts';
export type { RetryInfo } from './retry-info.ts';
export { retryInfo } from './retry-info.ts';
export { retryIterable } from './retry-iterable.ts';
export type { RetryResult } from './try-retry.ts';
export { tryRetry } from './try-retry.ts';
export { withRetry } from './with-retry.ts';
