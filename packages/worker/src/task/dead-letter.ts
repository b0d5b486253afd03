import type { AttemptError } from '@retry/core/broker';
import type { DeadLetterState } from '@retry/core/lifecycle';

/**
 * The payload of the runs that `deadLetter: { task }` submits: what is known of a run that has failed, stalled for good, or met a
 * rate limit for the last time. The run itself is kept as a dead letter, too.
 *
 * It has at most the `maxPayloadBytes` of its task. What is larger is made smaller in this order, until it fits: the stack is left out,
 * then all errors but the latest, then the rest of its message, then that error; then the payload, with the errors put back as far as
 * they fit. The last form has less than 8 KiB, and is submitted whatever the limit.
 */
export interface DeadLetter<Payload = unknown> {
  /** The id of the dead run, for `queue.get` and `queue.deadLetters`. */
  readonly id: string;
  /** The name of its task. */
  readonly task: string;
  /** The version of its task. */
  readonly version: string;
  /** What it was submitted with; absent when `payloadOmitted` is set. */
  readonly payload?: Payload;
  /**
   * Why there is no payload. `too-large`: it would exceed `maxPayloadBytes`. `unreadable`: it is not JSON text, or would pollute
   * prototypes. `refused`: the broker refused the settlement that had it.
   */
  readonly payloadOmitted?: 'too-large' | 'unreadable' | 'refused';
  readonly state: DeadLetterState;
  /** The stored errors of the run, oldest first; the latest twenty, less `errorsOmitted`. */
  readonly errors: readonly AttemptError[];
  /** How many of the stored errors, the oldest ones, did not fit; absent for 0. */
  readonly errorsOmitted?: number;
  /** The number of claims until it died; it differs each time that a run dies. */
  readonly epoch: number;
  /** Since the submission or the latest redrive that reset the attempts, as the next three counters. */
  readonly failures: number;
  readonly stalls: number;
  readonly releases: number;
  readonly rateLimits: number;
  readonly redrives: number;
  /** Charged attempts that it brought along from elsewhere. */
  readonly carried: number;
  /** When it was submitted, in epoch milliseconds. */
  readonly createdAt: number;
  /** When it died, in epoch milliseconds, as its worker estimated the broker's clock. */
  readonly endedAt: number;
}
