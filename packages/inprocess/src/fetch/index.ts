export type { Fetch, RetryFetchOptions } from './create-retry-fetch.ts';
export { createRetryFetch } from './create-retry-fetch.ts';
export { httpPolicy } from './http-policy.ts';
