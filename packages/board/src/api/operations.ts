import type { Operation } from '@retry/core/broker';
import type { ActsAnswer } from './acts.ts';

/** An operation that was applied. */
export interface OperationAnswer {
  readonly operation: Operation;
}

/** `GET operations`: who does what, and who did. */
export interface OperationsAnswer {
  /** All that have not ended and the latest 100 others, newest first. */
  readonly operations: readonly Operation[];
  readonly acts: ActsAnswer;
}

/** `POST operations/:id/pause`, `…/resume`, `…/cancel`. */
export interface OperationChangeAnswer {
  /** `refused`: it has ended. */
  readonly answer: 'changed' | 'refused' | 'gone';
}
