import type { RetryRequest } from '../task/task.ts';

/** How an attempt ended. */
export type Outcome =
  | {
      readonly type: 'completed';
      readonly result: string;
      /** The handler has committed it in a transaction of its own. */
      readonly isCommitted?: boolean;
    }
  /** It threw, or took too long. */
  | {
      readonly type: 'failed';
      readonly error: unknown;
      /** The attempt took too long. */
      readonly isTimeout: boolean;
      /** The total time of the run is over. */
      readonly isOutOfTime?: boolean;
    }
  /** The handler asked for another attempt itself. */
  | { readonly type: 'asked'; readonly request: RetryRequest; readonly error: unknown }
  | {
      readonly type: 'stalled';
      readonly error: unknown;
      /** Other runs stalled along with it: not charged, and claimed again in a smaller group. */
      readonly isShared?: boolean;
      /** How many other runs stalled along with it, as far as it is to be written down. */
      readonly stalledWith?: number;
    }
  /** Its payload is broken: no attempt can succeed. */
  | { readonly type: 'unreadable'; readonly error: unknown }
  | { readonly type: 'released' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'limited' }
  /** The broker handed it out before it was due. */
  | { readonly type: 'early' };

/** Ends a handler that called `ctx.retry`; nobody but the worker sees it. */
export class RetryRequested extends Error {
  override readonly name: string = 'RetryRequested';
  readonly request: RetryRequest;
  /** What is recorded: the handler's own error, or one that says that it asked. */
  readonly error: unknown;

  constructor(request: RetryRequest) {
    super('the handler asked for a retry; do not catch this');
    this.request = request;
    this.error = request.error ?? new Error('the handler asked for a retry');
  }
}

/** What a handler asked for, if that is what it threw. A thrown value may refuse to be looked at. */
export function requestOf(thrown: unknown): RetryRequested | undefined {
  try {
    return thrown instanceof RetryRequested ? thrown : undefined;
  } catch {
    return undefined;
  }
}
