import type { RecordedAttempt } from '../failures/recorded-attempt.ts';
import type { RunRecord, RunState } from '../lifecycle/run-state.ts';

/**
 * The stored error of one failed attempt, with what was known about it; instants are by the broker's clock. An error with which
 * no attempt ended, as that of an operator, has no `startedAt`.
 */
export interface AttemptError extends RecordedAttempt {
  /** The epoch of the attempt. */
  readonly epoch: number;
  /** Kept of the latest attempt only. */
  readonly stack?: string | undefined;
  /** The trace context of the attempt, as telemetry wrote it. The broker never looks at it. */
  readonly context?: string | undefined;
}

/** One submitted piece of work as a broker stores it: plain data, with payload and result as JSON text. */
export interface Run<State extends RunState = RunState> extends RunRecord<State> {
  /** Unique among all runs, and the same in every attempt; 1 to 512 bytes. */
  readonly id: string;
  /** The ready list that it waits in: `name@version` of its task. */
  readonly lane: string;
  /** JSON text; the broker never parses it. */
  readonly payload: string;
  /** JSON text of what the handler returned; only when completed. */
  readonly result?: string | undefined;
  /** One error per failed attempt since the last reset, oldest first; only the latest few are kept. */
  readonly errors: readonly AttemptError[];
  /** JSON text of the policy that it was submitted with; absent: the policy of its task. The broker never parses it. */
  readonly retry?: string | undefined;
  /** The id of the run whose work this one repeats: it was submitted in place of that one. */
  readonly origin?: string | undefined;
  /** The trace context that it was submitted with. The broker never looks at it. */
  readonly context?: string | undefined;
  /** The trace context of the attempt by which it became a dead letter, where a redrive has reset its errors. */
  readonly deadContext?: string | undefined;
  /** Delay before the latest retry in milliseconds; decorrelated backoff grows from it. */
  readonly previousDelayMs?: number | undefined;
  /** Limits how many runs of one key are started at the same time, over all workers. */
  readonly concurrency?: Concurrency | undefined;
  /** Whose turn it takes in its lane, as it was submitted. */
  readonly fairnessKey?: string | undefined;
  /** `epoch:event` of the latest accepted settlement: the same one again is `already`, another one is `fenced`. */
  readonly settledBy?: string | undefined;
  /** Retention may delete it like a completed run, although it failed (dead letters are off). */
  readonly isDisposable?: boolean | undefined;
  /**
   * The id of the error group that it is counted under while it is a dead letter: that of its settlement, or `other` where that
   * had none, or found no place.
   */
  readonly errorGroup?: string | undefined;
  /**
   * Which of its texts retention has deleted after its end, to stay within `keepCompleted.bytes`: `payload` is then `''`, `result` is
   * absent. Such a run is not redriven. Absent where none was, and where payloads were not asked for.
   */
  readonly trimmed?: readonly ('payload' | 'result')[] | undefined;
  /** Whether there is a cancel request for the started run. */
  readonly isCancelRequested?: boolean | undefined;
}

/** A limit that all runs of a key share. */
export interface Concurrency {
  /** 1 to 512 bytes; runs of several lanes may share one. */
  readonly key: string;
  /** The run gets a slot while fewer runs of its key than this have one; an integer, `1 ≤ limit ≤ 2_147_483_647`. */
  readonly limit: number;
  /**
   * `wait`: runs of a full key keep their order in the lane while others pass them. `claim`: they are claimed, marked as
   * over the limit, and take no slot.
   */
  readonly whenFull: 'wait' | 'claim';
  /**
   * The run keeps its slot from its start until it ends, also while it waits to start again: no run of the key overtakes it
   * then. It needs no free slot to start again, and is not over the limit.
   * @default false
   */
  readonly holdWhileRetrying?: boolean | undefined;
}
