import type { RecordedAttempt } from '../failures/recorded-attempt.ts';
import type { Concurrency } from './run.ts';

/** A new run, as `submit` takes it. */
export interface Submission {
  /**
   * Unique among all runs; 1 to 512 bytes. Runs whose ids have the same tag (the text between the first `{` and the next `}`) are
   * kept together by brokers that spread runs over partitions.
   */
  readonly id: string;
  /** The ready list that it waits in, `name@version` of its task; 1 to 512 bytes. */
  readonly lane: string;
  /** JSON text. */
  readonly payload: string;
  /** Earliest start, in epoch milliseconds; absent or past means now. */
  readonly runAt?: number;
  /** Earliest start, in milliseconds from now by the broker's clock; the later of the two holds. */
  readonly delayMs?: number;
  /** Absent: no limit. */
  readonly concurrency?: Concurrency;
  /**
   * Whose turn the run takes in its lane; 1 to 512 bytes. Of each lane and key at most one run that came to the back of the lane stands
   * in it: it has the turn of the key. The others are behind it, submitted all the same, in the order in which they came. When the run
   * that has the turn leaves the lane, the first one behind it comes to the back of the lane, in the same move. Runs that come to the
   * front, or back to where they were, stand there without a turn. Absent: the run waits in its lane as ever.
   */
  readonly fairnessKey?: string;
  /** JSON text of the policy of this run, kept with it; at most 16 384 bytes. Absent: the policy of its task. */
  readonly retry?: string;
  /** The id of the run whose work this one repeats, kept with it; 1 to 512 bytes. */
  readonly origin?: string;
  /** Trace context, kept with the run and never looked at: a `traceparent` of W3C, say; 1 to 512 bytes. */
  readonly context?: string;
  /** What the run brings along from elsewhere: at most 262 144 bytes as JSON. */
  readonly spent?: Spent;
  /**
   * The id was chosen by the caller (an idempotency key): after the run is forgotten, its id stays known (`exists`)
   * until the broker's `keepKeys` has passed since the run ended. Absent: the id is forgotten with the run.
   */
  readonly keyed?: boolean;
  /**
   * A caller waits for the result: once the run has ended, retention (`keepCompleted`) keeps it until it is collected
   * (`get` with `collect`) or this many milliseconds have passed; `keepResultMs ≥ 0`.
   */
  readonly keepResultMs?: number;
  /** Submits at most one run of a key at a time. A known id is answered `exists` before the key is looked at. */
  readonly unique?: Unique;
}

/**
 * A key that at most one run has at a time: the latest unique submission of the key that was answered anything but `kept`. Its run
 * has the key as long as that submission's `until` says, whatever later ones ask for. A redrive does not give a key back.
 */
export interface Unique {
  /**
   * The `partitionTag` of the run's id: 1 to 440 bytes without `}`. That id must not be used for another run later: by it the broker
   * finds the run that has the key.
   */
  readonly key: string;
  /**
   * - `started`: until the run is claimed for the first time, or has ended
   * - `ended`: until the run has ended, its retries included
   * - a number > 0: for as many milliseconds from the submission by the broker's clock, whatever becomes of the run
   */
  readonly until: 'started' | 'ended' | number;
  /**
   * What to do when a run has the key. `keep`: nothing is submitted. `replace`: the run is submitted and has the key from now on; in
   * the same move the other run is cancelled if it waits, and otherwise keeps running.
   */
  readonly onConflict: 'keep' | 'replace';
}

/** `exists`: the id is known, nothing was submitted. `locked`: only as `whenLocked` says. */
export type SubmitAnswer = 'created' | 'exists' | KeyAnswer | Locked;

/**
 * A unique submission met another run that had its key. `kept`: nothing was submitted; the run of this id has the key, and may have
 * ended and be forgotten. `replaced`: the submission was created, and the run of this id, which was waiting, is cancelled.
 */
export interface KeyAnswer {
  /** `kept`: nothing was submitted. `replaced`: the submission was. */
  readonly type: 'kept' | 'replaced';
  /** The id of the other run, not that of the submission. */
  readonly id: string;
}

/** Nothing was done: another client's transaction has the run or its key, or something in the same call. Ask again later. */
export type Locked = 'locked';

/** What a call does about another client's transaction. */
export interface LockOptions {
  /**
   * `wait`: until the transaction ends. `answer`: those that would wait are answered `locked`, for callers that share a call: one of them
   * would hold up the others. Calls of most brokers never have to wait. @default 'wait'
   */
  readonly whenLocked?: 'wait' | 'answer';
}

/**
 * What a run brought along from elsewhere: a call that was handed to a queue after it had failed, or a run of another queue. It
 * counts until a redrive resets the attempts.
 */
export interface Spent {
  /** Charged attempts that were made there; an integer ≥ 0. The run's first attempt is the one after them. */
  readonly attempts: number;
  /** What those failed with, oldest first, without stacks; at most 20. @default none */
  readonly errors?: readonly SpentError[];
  /** When the first of them started, in whole epoch milliseconds: the total time began then. @default at the first start */
  readonly firstStartedAt?: number;
}

/** The error of one attempt that was made elsewhere. */
export type SpentError = RecordedAttempt;
