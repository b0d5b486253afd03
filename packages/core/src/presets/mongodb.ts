import type { ErrorPattern } from '../matching/matcher.ts';
import { type ErrorFamily, family } from './family.ts';
import { NEVER_CONNECTS } from './permanent.ts';

/** The label of an operation in a transaction that was rolled back: repeat the whole transaction. */
const ROLLED_BACK = {
  label: 'TransientTransactionError',
  unless: { label: 'UnknownTransactionCommitResult' },
};

/** The driver throws it only where none of its attempts wrote anything. */
const NOTHING_WRITTEN = { label: 'NoWritesPerformed' };

const MAY_PASS: readonly ErrorPattern[] = [
  {
    label: [
      'RetryableWriteError',
      'RetryableError', // of a server that is overloaded
      'UnknownTransactionCommitResult',
      'ResumableChangeStreamError',
    ],
  },
  {
    name: [
      'MongoServerSelectionError',
      ...['MongoWaitQueueTimeoutError', 'WaitQueueTimeoutError'],
      // The last one is of an operation that was under way.
      ...['MongoPoolClearedError', 'PoolClearedError', 'PoolClearedOnNetworkError'],
      ...['MongoNetworkError', 'MongoNetworkTimeoutError', 'MongoOperationTimeoutError'],
    ],
  },
  {
    name: ['MongoServerError', 'MongoError', 'MongoBulkWriteError', 'MongoWriteConcernError'],
    // HostUnreachable, HostNotFound, NetworkTimeout, ShutdownInProgress, PrimarySteppedDown, ExceededTimeLimit, NotWritablePrimary, …
    code: [6, 7, 64, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436],
  },
];

/**
 * Matches errors of MongoDB that may pass, by the labels that the server and the driver give to them, and by name and code. What the
 * driver says of its last attempt alone is ambiguous: with `retryWrites`, its default, it may have sent the write before that.
 *
 * @see the MongoDB specifications of retryable writes, of transactions and of client backpressure
 */
export const mongodb: ErrorFamily = /* @__PURE__ */ family({
  notApplied: [
    ROLLED_BACK,
    { ...NOTHING_WRITTEN, anywhere: MAY_PASS },
    // WriteConflict, LockTimeout
    { name: ['MongoServerError', 'MongoError', 'MongoBulkWriteError'], code: [112, 24] },
  ],
  ambiguous: MAY_PASS.map((pattern) => ({ ...pattern, unless: [ROLLED_BACK, NOTHING_WRITTEN] })),
  unless: NEVER_CONNECTS,
  // The batches before the one that failed are applied, unless all of them are one transaction.
  ofSeveral: [{ name: ['MongoBulkWriteError', 'MongoClientBulkWriteError'], unless: ROLLED_BACK }],
});
