export type { AttemptContext } from './attempt-context.ts';
export type { CancelTimer, Clock } from './clock.ts';
export type { RetryEvent, RetryOptions, StopEvent } from './options.ts';
export { retry } from './retry.ts';
export { withRetry } from './with-retry.ts';
