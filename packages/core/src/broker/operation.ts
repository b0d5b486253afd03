import type { DeadLetterState } from '../lifecycle/arrows.ts';

/** `running` at first; `cancelled` and `done` are terminal. */
export type OperationState = 'running' | 'paused' | 'cancelled' | 'done';

/** What an operation may be changed to: paused, resumed or cancelled. */
export type OperationChange = Extract<OperationState, 'running' | 'paused' | 'cancelled'>;

/** `refused`: it has ended. */
export type OperationChangeAnswer = 'changed' | 'refused' | 'gone';

/** Which dead letters an operation takes; a run has to meet all that are given. */
export interface OperationFilter {
  /** Only dead letters that ended in this state, unless `ids` names them. */
  readonly state: DeadLetterState;
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
  /** How many runs are due per second, at most, `0 < perSecond < Infinity`. Only one of this and `spreadMs` may be given. */
  readonly perSecond?: number;
  /** The runs are due evenly over this time, `0 < spreadMs < Infinity`; needs an exact plan. */
  readonly spreadMs?: number;
  /** Redrives them with the attempts that were counted so far. @default false */
  readonly keepAttempts?: boolean;
  /** How many charged attempts a run has at least that `keepAttempts` passes over, an integer ≥ 0. Absent: none is passed over. */
  readonly maxAttempts?: number;
  /** A note for people. */
  readonly reason?: string;
  /** Who applied the plan. */
  readonly by?: string;
}

/**
 * A durable operation on many dead letters: what is left to do, by whom it is carried on, and what has been done. It is kept in notes; a
 * worker or a queue carries it on step by step. Its filter has no `ids`: `planned` says how many there are.
 */
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
  /** The instant from which another carrier may have it; epoch milliseconds by the broker's clock. */
  readonly carriedUntil?: number;
}

/** Asks for an operation to carry on. */
export interface OperationClaim {
  /** Who asks: a name that no other carrier has, 1 to 512 bytes. */
  readonly carrier: string;
  /** How long it has the operation, in milliseconds, `0 ≤ leaseMs < Infinity`. */
  readonly leaseMs: number;
  /** Only this one. */
  readonly id?: string;
}
