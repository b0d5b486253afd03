export type { Policy } from '@retry/core';
export type { BudgetState, RetryBudget } from '@retry/core/budget';
export type { CircuitBreakerSettings } from '@retry/core/circuit-breaker';
export type { VirtualClock } from '@retry/core/testing';
export type { StandardSchema } from '../task/schema.ts';
export type { StartLimit, Task } from '../task/task.ts';
export { instantRetries } from './instant-retries.ts';
export { createTestClock } from './test-clock.ts';
