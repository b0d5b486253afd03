export type { Policy } from '@retry/core';
export type { PolicySettings } from '@retry/core/fields';
export type { RetryInfo } from '../retry-info.ts';
export { retryInfo } from '../retry-info.ts';
export { basePolicy } from './base-policy.ts';
export { retry } from './retry.ts';
export type { SlimOptions } from './slim-options.ts';
export { withRetry } from './with-retry.ts';
