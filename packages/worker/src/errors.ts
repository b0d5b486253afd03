import { RetryError } from '@retry/core';

/** A payload that must not be kept: it fails its schema, is no JSON, is too large or would pollute prototypes. */
export class PayloadError extends RetryError {
  override readonly name: string = 'PayloadError';
  /** What the schema says is wrong; empty when it is not the schema. */
  readonly issues: readonly string[];

  constructor(message: string, issues: readonly string[] = [], options?: ErrorOptions) {
    super('INVALID_PAYLOAD', message, options);
    this.issues = issues;
  }
}

/** The reason of a handler's signal when somebody cancelled its run. */
export class CancelledError extends RetryError {
  override readonly name: string = 'CancelledError';

  constructor() {
    super('CANCELLED', 'the run was cancelled');
  }
}

/** The reason of a handler's signal when its worker shuts down. */
export class ShutdownError extends RetryError {
  override readonly name: string = 'ShutdownError';

  constructor() {
    super('SHUTDOWN', 'the worker shuts down');
  }
}

/** The reason of a handler's signal when its lease is lost: whatever it does now is not heard. */
export class LeaseLostError extends RetryError {
  override readonly name: string = 'LeaseLostError';

  constructor() {
    super('LEASE_LOST', 'the lease is lost; another worker may hold the run');
  }
}

/** What a stalled attempt leaves in the run's errors: its worker, or its handler, fell silent. */
export class StalledError extends RetryError {
  override readonly name: string = 'StalledError';

  constructor(message = 'the worker fell silent') {
    super('STALLED', message);
  }
}

/** A handler called `ctx.complete` and ended, but the transaction was not committed: what it did there is undone. */
export class NotCommittedError extends RetryError {
  override readonly name: string = 'NotCommittedError';

  constructor() {
    super(
      'NOT_COMMITTED',
      'the handler completed its run in a transaction that was not committed: the attempt has failed',
    );
  }
}
