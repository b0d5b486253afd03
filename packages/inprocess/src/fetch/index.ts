export type { Policy } from '@retry/core';
export type { ErrorPattern } from '@retry/core/fields';
export { createRetryFetch } from './create-retry-fetch.ts';
export { fetchRefusals, httpPolicy } from './http-policy.ts';
export type { AnyFetch, Fetch, RequestEvent, RetryFetchHooks, RetryFetchOptions } from './options.ts';
export type { SentRequest } from './sent-request.ts';
