import type { AttemptError } from './run.ts';

/**
 * `cancelled`: the run was waiting and is cancelled now. `requested`: the run is started; its worker is notified by the
 * heartbeat, and a settlement that would send it back cancels it instead. `ended`: too late.
 */
export type CancelAnswer = 'cancelled' | 'requested' | 'ended' | 'gone';

/** How an operator ends a waiting run. */
export type EndRequest = { readonly id: string } & (
  | {
      readonly as: 'completed';
      /** JSON text. */
      readonly result: string;
    }
  | { readonly as: 'failed'; readonly error: Pick<AttemptError, 'name' | 'message' | 'stack'> }
);

/**
 * `done`: the run was waiting and has ended so. `requested`: the run is started, and has a cancel request now. `ended`: too
 * late.
 */
export type EndAnswer = 'done' | 'requested' | 'ended' | 'gone';

/** When a waiting run is to start at the earliest; now, if neither is set. */
export interface RescheduleRequest {
  readonly id: string;
  /** In epoch milliseconds. */
  readonly runAt?: number;
  /** In milliseconds from now by the broker's clock; the later of the two holds. */
  readonly delayMs?: number;
}

/** `refused`: the run is not waiting. */
export type RescheduleAnswer = 'rescheduled' | 'refused' | 'gone';

/** Options of `redrive`. */
export interface RedriveOptions {
  /** Keep the attempts that were counted so far instead of starting from 0. @default false */
  readonly keepAttempts?: boolean;
}

/** `refused`: the run is no dead letter. */
export type RedriveAnswer = 'redriven' | 'refused' | 'gone';

/** `refused`: the run has not ended. */
export type DiscardAnswer = 'discarded' | 'refused' | 'gone';
