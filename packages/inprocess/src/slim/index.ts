export type { Policy } from '@retry/core';
export type { RetryInfo } from '../call/history.ts';
export { retryInfo } from '../call/history.ts';
export { basePolicy } from './base-policy.ts';
export { retry } from './retry.ts';
export type { SlimOptions } from './slim-options.ts';
export { withRetry } from './with-retry.ts';
