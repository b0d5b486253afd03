import type { RunEventType } from '../lifecycle/run-event.ts';
import type { Run } from './run.ts';

/**
 * The outcome of one claim: what core decided, to be written in one atomic step.
 *
 * A run that is released goes to the front of its lane, as it was next already, and runs released together keep
 * their order; every other one that is to wait goes to the back. The broker adds `settledBy`, and a wish to cancel
 * ends with the claim: it is carried out where the run would go on, and is not kept in `next`.
 */
export interface Settlement {
  readonly id: string;
  /** The claim's epoch; only the holder of the current one is heard. */
  readonly epoch: number;
  /** The event that the claim ended with. */
  readonly event: RunEventType;
  /**
   * The run as it is from now on, neither started nor unsubmitted; made by `transitionRun`. Its lane, payload and
   * concurrency are not looked at: they never change.
   */
  readonly next: Run;
  /**
   * Of a `next` that is scheduled: due this many milliseconds from the instant of writing, by the broker's clock, whatever
   * `next.runAt` says, so that a reply that travelled slowly makes no retry early. Fractions are rounded up. Absent:
   * `next.runAt` is an instant that the handler chose.
   */
  readonly delayMs?: number;
  /** Only if the lease has run out by the broker's clock: how a cleaner settles for a silent worker. */
  readonly onlyIfExpired?: boolean;
}

/**
 * `ok`: written. `already`: this very settlement was written before (its reply was lost). `fenced`: somebody
 * else holds the run, or settled this epoch. `gone`: no such run.
 */
export type SettleAnswer = 'ok' | 'already' | 'fenced' | 'gone';
