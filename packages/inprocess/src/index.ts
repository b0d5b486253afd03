export type { Clock, Policy, PolicyInput } from '@retry/core';
export type { BudgetInput, BudgetState, RetryBudget } from '@retry/core/budget';
export type { AttemptContext } from './call/context.ts';
export type {
  AttemptEvent,
  GiveUpEvent,
  GiveUpReason,
  NestedEvent,
  RetryEvent,
  RetryHooks,
} from './call/events.ts';
export type { FailedAttempt, RetryInfo, SharedErrorInfo } from './call/history.ts';
export { retryInfo } from './call/history.ts';
export type { ParentAttempt, RetryOptions } from './call/options.ts';
export { RefusedResultError } from './call/refused-result.ts';
export type { RetryBudgetOptions } from './limits/budget.ts';
export { createRetryBudget } from './limits/budget.ts';
export type {
  CircuitBreaker,
  CircuitBreakerOptions,
  CircuitPermit,
  StateChangeEvent,
} from './limits/circuit-breaker.ts';
export { CircuitOpenError, createCircuitBreaker } from './limits/circuit-breaker.ts';
export type { ParkedCall, RetryGroup, RetryGroupOptions, WaitingCall } from './limits/group.ts';
export { createRetryGroup } from './limits/group.ts';
export type {
  ModeChangeEvent,
  SharedBudgetOptions,
  SharedBudgetStore,
  SharedRetryBudget,
} from './limits/shared-budget.ts';
export { createSharedBudget } from './limits/shared-budget.ts';
export { retry, withRetry } from './retry.ts';
export type { IterableOptions } from './retry-iterable.ts';
export { retryIterable } from './retry-iterable.ts';
export type { RetryingDecorator } from './retrying.ts';
export { retrying } from './retrying.ts';
export type { Refusal, RetryResult } from './try-retry.ts';
export { tryRetry } from './try-retry.ts';
