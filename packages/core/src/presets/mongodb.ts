import { type ErrorFamily, family } from './family.ts';
import { NEVER_CONNECTS } from './permanent.ts';

/**
 * Matches errors of MongoDB that may pass, by the labels that the server and the driver give to them, and by name and code.
 *
 * @see the MongoDB specifications of retryable writes and of transactions
 */
export const mongodb: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    { label: 'TransientTransactionError', unless: { label: 'UnknownTransactionCommitResult' } },
    {
      name: [
        'MongoServerSelectionError',
        'MongoWaitQueueTimeoutError',
        'WaitQueueTimeoutError',
        'MongoPoolClearedError',
        'PoolClearedError',
      ],
    },
    // WriteConflict, LockTimeout, NotWritablePrimary, NotPrimaryNoSecondaryOk, NotPrimaryOrSecondary
    { name: ['MongoServerError', 'MongoError', 'MongoBulkWriteError'], code: [112, 24, 10107, 13435, 13436] },
  ],
  ambiguous: [
    { label: ['RetryableWriteError', 'UnknownTransactionCommitResult', 'ResumableChangeStreamError'] },
    { name: ['MongoNetworkError', 'MongoNetworkTimeoutError', 'MongoOperationTimeoutError'] },
    {
      name: ['MongoServerError', 'MongoError', 'MongoBulkWriteError', 'MongoWriteConcernError'],
      // HostUnreachable, HostNotFound, NetworkTimeout, ShutdownInProgress, PrimarySteppedDown, ExceededTimeLimit, …
      code: [6, 7, 64, 89, 91, 134, 189, 262, 9001, 11600, 11602],
    },
  ],
  unless: NEVER_CONNECTS,
});
