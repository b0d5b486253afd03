import { RetryError } from '../errors.ts';

/** Codes of errors that every broker may reject with; each broker adds its own. */
export type BrokerErrorCode = 'BROKER_CLOSED' | 'INVALID_SETTLEMENT' | 'NOTES_BUSY';

/**
 * A broker was used wrongly, or its storage is not fit for use. Errors of the server and of its client are passed on as
 * they are.
 */
export class BrokerError<Code extends string = string> extends RetryError<Code> {
  override readonly name: string = 'BrokerError';
}
