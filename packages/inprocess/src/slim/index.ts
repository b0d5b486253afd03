export type { Policy } from '@retry/core';
export type { RetryInfo } from '../call/history.ts';
export { retryInfo } from '../call/history.ts';
export { basePolicy } from './base-policy.ts';
export type { SlimOptions } from './check-call.ts';
export { retry, withRetry } from './retry.ts';
