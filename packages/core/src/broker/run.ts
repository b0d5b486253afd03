import type { RunRecord, RunState } from '../lifecycle/run-state.ts';

/** What one failed attempt left behind. */
export interface AttemptError {
  /** The epoch of the attempt. */
  readonly epoch: number;
  /** When it failed, in epoch milliseconds. */
  readonly at: number;
  readonly name: string;
  readonly message: string;
  /** A stalled attempt: how many other runs stalled along with it. Such a stall is not charged. */
  readonly stalledWith?: number;
  /** Our worker keeps that of the latest attempt, while the run waits for another or has ended. */
  readonly stack?: string;
}

/** One submitted piece of work as a broker keeps it: plain data, payload and result as JSON text. */
export interface Run<State extends RunState = RunState> extends RunRecord<State> {
  readonly id: string;
  /** The ready list it waits in: `name@version` of its task. */
  readonly lane: string;
  /** JSON text; the broker never looks inside. */
  readonly payload: string;
  /** JSON text of what the handler returned; only when completed. */
  readonly result?: string | undefined;
  /** One per failed attempt since the last reset, oldest first; only the latest few are kept. */
  readonly errors: readonly AttemptError[];
  /** Delay before the latest retry in ms; decorrelated backoff grows from it. */
  readonly previousDelayMs?: number | undefined;
  /** Runs of one key start at most `limit` at a time, over all workers. */
  readonly concurrency?: Concurrency | undefined;
  /** `epoch:event` of the settlement accepted last: the same one again is `already`, another is `fenced`. */
  readonly settledBy?: string | undefined;
  /** Its end is of no further interest: retention may forget it like a completed run (dead letters off). */
  readonly isDisposable?: boolean | undefined;
  /** Somebody asked to cancel it while it was running. */
  readonly isCancelRequested?: boolean | undefined;
}

/** A limit that runs share by a key. */
export interface Concurrency {
  readonly key: string;
  readonly limit: number;
  /**
   * `wait`: a full key keeps its runs where they stand in their lane; the others pass them. `claim`: they are
   * handed out, marked as over the limit, and take none of the starts.
   */
  readonly whenFull: 'wait' | 'claim';
}
