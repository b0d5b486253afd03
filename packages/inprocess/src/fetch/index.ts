export type { Fetch, RequestEvent, RetryFetchHooks, RetryFetchOptions } from './create-retry-fetch.ts';
export { createRetryFetch } from './create-retry-fetch.ts';
export { fetchRefusals, httpPolicy } from './http-policy.ts';
export type { SentRequest } from './sent-request.ts';
