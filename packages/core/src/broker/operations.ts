import type { EndState } from '../lifecycle/run-state.ts';

/**
 * Durable operations on many dead letters: what is left to do, by whom it is carried on, and what has been done. A broker only
 * keeps them; a worker or a queue carries one on step by step. A step is one call of `redrive` or `discard` with an
 * {@link OperationStep}, which moves the runs and counts them in one atomic write.
 */
export interface Operations {
  /**
   * Keeps a new operation, which is then `running`. A known id is not kept again.
   *
   * @returns `full`: there are 100 operations already that have not ended
   */
  readonly put: (request: OperationRequest) => Promise<'created' | 'exists' | 'full'>;
  /** Returns all operations that have not ended and the latest 100 others, newest first. */
  readonly list: () => Promise<readonly Operation[]>;
  /** Returns an operation; `undefined` when it is not kept. */
  readonly get: (id: string) => Promise<Operation | undefined>;
  /**
   * Gives the oldest running operation that no other carrier holds to this one, for `leaseMs` by the broker's clock, with an epoch
   * higher than any before. Asked again by the same carrier, it extends the lease, with a new epoch.
   *
   * @returns `undefined` when there is none
   */
  readonly claim: (claim: OperationClaim) => Promise<ClaimedOperation | undefined>;
  /** Pauses, resumes or cancels an operation. `refused`: it has ended. */
  readonly change: (
    id: string,
    to: Extract<OperationState, 'running' | 'paused' | 'cancelled'>,
  ) => Promise<'changed' | 'refused' | 'gone'>;
}

/** `cancelled` and `done` are terminal. */
export type OperationState = 'running' | 'paused' | 'cancelled' | 'done';

/** The most ids of one step. */
export const MAX_STEP_IDS = 500;

/** Which dead letters an operation takes; a run has to meet all that are given. */
export interface OperationFilter {
  /** Only dead letters that ended in this state, unless `ids` names them. */
  readonly state: Extract<EndState, 'failed' | 'stalled' | 'rateLimited'>;
  /** Only those of one task in one version: `name@version`. */
  readonly lane?: string;
  /** The name of a task, in any version. */
  readonly task?: string;
  /** Only those whose latest error has this name. */
  readonly errorName?: string;
  /** The id of an error group. */
  readonly errorGroup?: string;
  /** What ended at this instant or later. */
  readonly endedAfter?: number;
  /** The instant of the plan by the broker's clock: what ended then or later has changed since. */
  readonly endedBefore: number;
  /** Only these, in this order; at most 10 000. */
  readonly ids?: readonly string[];
}

/** A new operation. */
export interface OperationRequest {
  /** Chosen by the caller, so that a request may be sent again. */
  readonly id: string;
  /** `redrive`: they go back to their lanes. `discard`: they are deleted, with no rate and no `keepAttempts`. */
  readonly kind: 'redrive' | 'discard';
  /** Which dead letters it takes. */
  readonly filter: OperationFilter;
  /** How many runs the plan counted; an integer ≥ 0. */
  readonly planned: number;
  /** `false`: the plan stopped counting, and there are at least that many. */
  readonly isPlanExact: boolean;
  /** At most this many runs are due per second, `0 < perSecond < Infinity`. At most one of this and `spreadMs`. */
  readonly perSecond?: number;
  /** The runs are due evenly over this time, `0 < spreadMs < Infinity`; needs an exact plan. */
  readonly spreadMs?: number;
  /** Redrives them with the attempts that were counted so far. @default false */
  readonly keepAttempts?: boolean;
  /** With `keepAttempts`: runs that have this many charged attempts are passed over; an integer ≥ 0. Absent: none is. */
  readonly maxAttempts?: number;
  /** A note for people. */
  readonly reason?: string;
  /** Who applied the plan. */
  readonly by?: string;
}

/** An operation as a broker keeps it. Its filter has no `ids`, except in a claim: `planned` says how many there are. */
export interface Operation extends OperationRequest {
  /** `running` at first; then as `change` says, or `done` after its last step. */
  readonly state: OperationState;
  /** When it was applied, in epoch milliseconds by the broker's clock. */
  readonly createdAt: number;
  /** When it was applied, claimed, changed or carried on, whichever came last; epoch milliseconds by the broker's clock. */
  readonly updatedAt: number;
  /** When it was done or cancelled, in epoch milliseconds by the broker's clock; absent until then. */
  readonly endedAt?: number;
  /** Runs that were redriven or discarded. */
  readonly done: number;
  /** Runs that had changed since the plan, or that have no attempt left. */
  readonly skipped: number;
  /** Who carries it on, and until when unless extended. */
  readonly carrier?: string;
  /** From this instant on another carrier may have it; epoch milliseconds by the broker's clock. */
  readonly carriedUntil?: number;
}

/** Asks for an operation to carry on. */
export interface OperationClaim {
  /** Who asks: a name that no other carrier has, 1 to 512 bytes. */
  readonly carrier: string;
  /** In milliseconds, `0 ≤ leaseMs < Infinity`. */
  readonly leaseMs: number;
  /** Only this one. */
  readonly id?: string;
}

/** An operation, and where its next step begins. */
export interface ClaimedOperation {
  /** With the `ids` of its filter, if it has any. */
  readonly operation: Operation;
  /** The fencing token of the next step, which is accepted once. */
  readonly epoch: number;
  /** What the latest step left as its `progress`; absent before the first one. */
  readonly progress?: string;
  /** The broker's clock, in epoch milliseconds. */
  readonly now: number;
}

/**
 * The part of a `redrive` or `discard` that belongs to an operation. It is accepted once, while the operation is running and the
 * epoch is its latest; otherwise every id is answered `fenced`, and nothing changes. With a step, each id is asked once, and there
 * are at most 500.
 */
export interface OperationStep {
  /** The id of the operation. */
  readonly id: string;
  /** The epoch of the claim, an integer. */
  readonly epoch: number;
  /** How many more runs were passed over; an integer ≥ 0. */
  readonly skipped: number;
  /** Where the next step begins, as the carrier understands it; text of at most 4 096 bytes. */
  readonly progress: string;
  /** Nothing is left: the operation is done. */
  readonly isLast: boolean;
}
