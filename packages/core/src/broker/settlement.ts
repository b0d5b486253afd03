import type { RunEventType } from '../lifecycle/run-event.ts';
import type { ErrorGroupName } from './insight/groups.ts';
import type { Run } from './run.ts';
import type { Locked, Submission } from './submission.ts';

/**
 * The outcome of one claim, as core decided it, to be written in one atomic step.
 *
 * A run that is released for now returns to the front of its lane, and runs released together keep their order; every other
 * run that waits again goes to the back. The broker adds `settledBy`. A cancel request ends with the claim: a run that would wait
 * again is cancelled instead, and `next` does not keep the request.
 */
export interface Settlement {
  /** The id of the claimed run. */
  readonly id: string;
  /** The epoch of the claim, an integer; only a settlement of the current one is accepted. */
  readonly epoch: number;
  /** The event that the claim ended with. */
  readonly event: RunEventType;
  /**
   * The run as it is from now on, neither started nor unsubmitted. Its epoch, lane, payload, concurrency, policy, origin, context and
   * `carried` are ignored: a settlement never changes them.
   */
  readonly next: Run;
  /**
   * How many milliseconds after the write a scheduled `next` is due, by the broker's clock, instead of at
   * `next.runAt`, so that a slow request makes no retry early. Fractions are rounded up. Absent: `next.runAt` is an
   * instant that the handler chose.
   */
  readonly delayMs?: number;
  /** Accept only if the lease has expired by the broker's clock: how a cleaner settles for a lost worker. */
  readonly onlyIfExpired?: boolean;
  /**
   * What the run is counted under if it becomes a dead letter; ignored if it does not. Absent: under `other`.
   *
   * @see ErrorGroup
   */
  readonly group?: ErrorGroupName;
  /**
   * A run to submit in the same atomic write, if and only if the settlement is answered `ok`; `next` must have ended. A known id is
   * not submitted again. Its id is to have the `partitionTag` of the settled run, so that both are kept together.
   */
  readonly submit?: Submission;
}

/**
 * `ok`: written. `already`: the same settlement was written before, and its reply was lost. `fenced`: another worker
 * holds the run, or this epoch was settled otherwise. `gone`: no such run. `locked`: only as `whenLocked` says.
 */
export type SettleAnswer = 'ok' | 'already' | 'fenced' | 'gone' | Locked;
