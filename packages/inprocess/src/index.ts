export type { CancelTimer, Clock } from '@retry/core';
export type { AttemptContext } from './attempt-context.ts';
export type { MemoryBrokerOptions } from './broker/memory-broker.ts';
export { createMemoryBroker } from './broker/memory-broker.ts';
export type { RetryEvent, RetryOptions, StopEvent } from './options.ts';
export { retry } from './retry.ts';
export { withRetry } from './with-retry.ts';
