import { describe, expect, it } from 'vitest';
import { errorWith, type Meaning, meaningOf } from './meaning.ts';

/** The classes of the driver of MongoDB, version 7.5, src/error.ts and src/cmap/errors.ts: names are getters, labels a set. */
class MongoError extends Error {
  readonly errorLabelSet: Set<string>;
  code?: number;
  constructor(message: string, labels: readonly string[] = [], properties: object = {}) {
    super(message);
    this.errorLabelSet = new Set(labels);
    Object.assign(this, properties);
  }
  get errorLabels(): string[] {
    return [...this.errorLabelSet];
  }
  override get name(): string {
    return 'MongoError';
  }
}
class MongoServerError extends MongoError {
  override get name(): string {
    return 'MongoServerError';
  }
}
class MongoBulkWriteError extends MongoServerError {
  override get name(): string {
    return 'MongoBulkWriteError';
  }
}
class MongoClientBulkWriteError extends MongoServerError {
  override get name(): string {
    return 'MongoClientBulkWriteError';
  }
}
class MongoNetworkError extends MongoError {
  override get name(): string {
    return 'MongoNetworkError';
  }
}
class PoolClearedError extends MongoNetworkError {
  override get name(): string {
    return 'MongoPoolClearedError';
  }
}
class PoolClearedOnNetworkError extends PoolClearedError {
  override get name(): string {
    return 'PoolClearedOnNetworkError';
  }
}
class MongoServerSelectionError extends MongoError {
  override get name(): string {
    return 'MongoServerSelectionError';
  }
}

const OVERLOADED = ['SystemOverloadedError', 'RetryableError'];
const RATE = "Rate limiter 'ingressRequestRateLimiter' rate exceeded";
const rateExceeded = (labels: readonly string[]): Error => new MongoServerError(RATE, labels, { code: 462 });

/** The driver's src/operations/execute_operation.ts and the specifications of client backpressure and of retryable writes, of 2026-08. */
describe('mongodb', () => {
  const resetByPeer = new MongoNetworkError('read ECONNRESET', ['RetryableWriteError'], {
    cause: errorWith({ code: 'ECONNRESET' }, 'read ECONNRESET'),
  });
  const bulk = (labels: readonly string[], code?: number): Error =>
    new MongoBulkWriteError('x', labels, { code, result: { insertedCount: 1 } });

  it.each<[string, unknown, Meaning]>([
    // Any command may be repeated; but with retryWrites a lost write may have come before it.
    ['a server that is overloaded', rateExceeded(OVERLOADED), 'ambiguous'],
    [
      'one whose attempts all wrote nothing',
      rateExceeded([...OVERLOADED, 'NoWritesPerformed']),
      'not applied',
    ],
    ['an overload that is not retryable', rateExceeded(['SystemOverloadedError']), 'permanent'],
    ['a write that has no effect on any server', rateExceeded(['NoWritesPerformed']), 'permanent'],
    [
      'a primary that stepped down before the write',
      new MongoServerError('not primary', ['RetryableWriteError', 'NoWritesPerformed'], { code: 10107 }),
      'not applied',
    ],
    ['one through mongos, without a label', new MongoServerError('x', [], { code: 10107 }), 'ambiguous'],
    ['a connection that is lost', resetByPeer, 'ambiguous'],
    // Monitoring found the server gone: the operations under way are interrupted.
    [
      'an operation that was interrupted',
      new PoolClearedOnNetworkError('x', ['PoolRequestedRetry']),
      'ambiguous',
    ],
    ['a pool that was cleared', new PoolClearedError('x', [], { cause: resetByPeer }), 'ambiguous'],
    // The driver throws it in place of the first error, where its own retry finds no server.
    ['no server to be found', new MongoServerSelectionError('x', [], { cause: resetByPeer }), 'ambiguous'],
    ['a write conflict', new MongoServerError('WriteConflict', [], { code: 112 }), 'not applied'],
    // Batches before it are applied.
    ['a write conflict in a bulk write', bulk([], 112), 'ambiguous'],
    [
      'a bulk write whose last batch wrote nothing',
      bulk([...OVERLOADED, 'NoWritesPerformed'], 462),
      'ambiguous',
    ],
    [
      'a bulk write of a client',
      new MongoClientBulkWriteError('x', [], { cause: new MongoServerError('x', [], { code: 112 }) }),
      'ambiguous',
    ],
    ['a bulk write in a transaction', bulk(['TransientTransactionError'], 112), 'not applied'],
    ['a duplicate key in a bulk write', bulk([], 11000), 'permanent'],
    [
      'a COMMIT whose answer is unknown',
      new MongoNetworkError('x', ['TransientTransactionError', 'UnknownTransactionCommitResult']),
      'ambiguous',
    ],
  ])('%s', (_name, thrown, meaning) => {
    expect(meaningOf(thrown)).toBe(meaning);
  });

  it('takes a connection that is lost within a transaction for one that was rolled back', () => {
    const lost = new MongoNetworkError('x', ['TransientTransactionError']);

    expect(meaningOf(lost)).toBe('not applied');
    expect(meaningOf(new AggregateError([lost, resetByPeer]))).toBe('ambiguous');
  });
});
