import { InvalidOptionsError } from '@retry/core';

/**
 * Returns the error for a database of a library that was given in place of its transaction: each statement would be committed by
 * itself, on another connection. Types cannot show that in JavaScript. Of the value only the type is shown: it may have a password.
 *
 * @param wrapper - `inDrizzle`
 * @param passed - what passes a transaction: `db.transaction(async (trx) => …)`
 */
export function noTransaction(given: unknown, wrapper: string, passed: string): InvalidOptionsError {
  const message = 'must be one of the library, and no database, whose statements run outside of it';
  const cure = `Use ${wrapper}(trx) with the trx of ${passed}.`;
  return new InvalidOptionsError([{ path: '', value: typeof given, message, cure }], 'transaction');
}
