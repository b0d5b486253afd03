import type { RetryRequest } from '../task/task.ts';

/** How an attempt ended. */
export type Outcome =
  | { readonly type: 'completed'; readonly result: string }
  /** It threw, or took too long. */
  | { readonly type: 'failed'; readonly error: unknown; readonly isTimeout: boolean }
  /** The handler asked for another attempt itself. */
  | { readonly type: 'asked'; readonly request: RetryRequest }
  | { readonly type: 'stalled'; readonly error: unknown }
  /** Its payload is broken: no attempt can succeed. */
  | { readonly type: 'unreadable'; readonly error: unknown }
  | { readonly type: 'released' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'limited' };

/** Ends a handler that called `ctx.retry`; nobody but the worker sees it. */
export class RetryRequested extends Error {
  override readonly name: string = 'RetryRequested';
  readonly request: RetryRequest;

  constructor(request: RetryRequest) {
    super('the handler asked for a retry; do not catch this');
    this.request = request;
  }
}
