import { RetryError } from '@retry/core';
import { read } from '@retry/core/fields';

/**
 * What stands for the error of an attempt whose result `retryIfResult`, or the policy of a `fetch`, did not accept: in events, in the
 * history and in contexts. No call rejects with it, as a call without another attempt resolves with the result.
 */
export class RefusedResultError extends RetryError<'RESULT_REFUSED'> {
  override readonly name: string = 'RefusedResultError';
  /** The attempt that returned the result, counted from 1. */
  readonly attempt: number;
  /** The status of the result, if that is a response; `undefined` for others. */
  readonly status: number | undefined;

  /** @param result - is not kept: it may be large, and events have it */
  constructor(attempt: number, result: unknown) {
    const status = read(result, 'status');
    const ofResponse = typeof status === 'number' ? `: its status is ${status}` : '';
    super('RESULT_REFUSED', `the result of attempt ${attempt} was not accepted${ofResponse}`);
    this.attempt = attempt;
    this.status = typeof status === 'number' ? status : undefined;
  }
}
