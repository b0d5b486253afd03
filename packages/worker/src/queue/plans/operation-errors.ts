import { RetryError } from '@retry/core';
import type { WorkerErrorCode } from '../../errors.ts';

/** An operation on dead letters cannot be kept, or is not known. */
export class OperationError extends RetryError<WorkerErrorCode> {
  override readonly name: string = 'OperationError';
}

/** The error of a broker that keeps no operations. */
export function noOperations(): OperationError {
  return new OperationError(
    'NO_OPERATIONS',
    'this broker keeps no operations. Use deadLetters.redrive or deadLetters.discard, which end with this process.',
  );
}

/** The error of one operation too many. */
export function tooManyOperations(): OperationError {
  return new OperationError(
    'TOO_MANY_OPERATIONS',
    '100 operations have not ended. Cancel those that are not needed: queue.operations.list() has them.',
  );
}

/** The error of a wait for an operation that is not kept. */
export function unknownOperation(id: string): OperationError {
  return new OperationError(
    'UNKNOWN_OPERATION',
    `there is no operation ${id}: the latest 100 that have ended are kept.`,
  );
}

/** The error of a wait that took too long. */
export function operationTimeout(id: string, state: string): OperationError {
  return new OperationError('WAIT_TIMEOUT', `operation ${id} is still ${state}. It goes on; wait again.`);
}
