import type { ErrorFacts } from '../failures/recorded-attempt.ts';
import type { ErrorGroupName } from './insight/groups.ts';
import type { AttemptError, Run } from './run.ts';

/**
 * `cancelled`: the run was waiting and is cancelled now. `requested`: the run is started; its worker is notified by the
 * heartbeat, and a settlement that would send it back cancels it instead. `ended`: too late.
 */
export type CancelAnswer = 'cancelled' | 'requested' | 'ended' | 'gone';

/** How an operator ends a waiting run. */
export type EndRequest = { readonly id: string } & (
  | {
      /** The state that the run ends in. */
      readonly as: 'completed';
      /** JSON text. */
      readonly result: string;
    }
  | {
      /** The state that the run ends in, as a dead letter. */
      readonly as: 'failed';
      /** Becomes the latest error of the run. */
      readonly error: OperatorError;
      /** What the dead letter is counted under, as that of a settlement. */
      readonly group?: ErrorGroupName;
    }
);

/** The error with which an operator ends a run. The broker adds when, the epoch, and the reason `ended`. */
export type OperatorError = Pick<AttemptError, 'name' | 'message' | 'stack' | keyof ErrorFacts>;

/**
 * `done`: the run was waiting and has ended so. `requested`: the run is started, and has a cancel request now. `ended`: too
 * late.
 */
export type EndAnswer = 'done' | 'requested' | 'ended' | 'gone';

/** When a waiting run is to start at the earliest; now, if neither is set. */
export interface RescheduleRequest {
  /** The id of the run. */
  readonly id: string;
  /** When it is due, in epoch milliseconds. */
  readonly runAt?: number;
  /** How long from now by the broker's clock it is due, in milliseconds; the later of the two holds. */
  readonly delayMs?: number;
}

/** `refused`: the run is not waiting. */
export type RescheduleAnswer = 'rescheduled' | 'refused' | 'gone';

/** Which end of a run is meant: one that is redriven, and ends again, has another. */
export type RunEnd = Pick<Run, 'endedAt' | 'redrives'>;

/** Options of `redrive`. */
export interface RedriveOptions {
  /** Keep the attempts that were counted so far instead of starting from 0. @default false */
  readonly keepAttempts?: boolean;
  /** When runs are to start at the earliest, by id, in epoch milliseconds by the broker's clock. @default now, for all */
  readonly runAts?: ReadonlyMap<string, number>;
  /** Only runs that ended before this instant, in epoch milliseconds; others have changed since, and are refused. */
  readonly endedBefore?: number;
  /** The end with which each run was selected, by id; those that have another one now are refused. */
  readonly ends?: ReadonlyMap<string, RunEnd>;
}

/** `refused`: the run is no dead letter, it ended at or after `endedBefore`, or has changed since it was selected. */
export type RedriveAnswer = 'redriven' | 'refused' | 'gone';

/** Options of `discard`. */
export interface DiscardOptions {
  /** Only runs that ended before this instant, in epoch milliseconds; others have changed since, and are refused. */
  readonly endedBefore?: number;
  /** The end with which each run was selected, by id; those that have another one now are refused. */
  readonly ends?: ReadonlyMap<string, RunEnd>;
}

/** `refused`: the run has not ended, not before `endedBefore`, or has changed since it was selected. */
export type DiscardAnswer = 'discarded' | 'refused' | 'gone';
