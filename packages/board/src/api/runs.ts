import type { Explanation, FailReason, PolicyInput } from '@retry/core';
import type { AttemptReason, ErrorFacts } from '@retry/core/failures';
import type { ListedState, RunView } from '@retry/worker';
import type { Act } from './acts.ts';

/** A run in a table. */
export interface RunRow {
  readonly id: string;
  readonly task: string;
  readonly version: string;
  readonly lane: string;
  readonly state: ListedState;
  /** Counted from 1: of a run that waits the next one, of one that has ended its last one, 0 if it never had one. */
  readonly attempt: number;
  /** Latest submission, or return to its lane. */
  readonly submittedAt?: number;
  /** Latest start. */
  readonly startedAt?: number;
  /** When it is due, or was. */
  readonly runAt?: number;
  readonly endedAt?: number;
  /** The latest error, through `mask`; cut at 512 characters. */
  readonly error?: { readonly name: string; readonly message: string };
}

/** `GET runs/:id?whole=1`, masked for every visitor; `POST runs/:id/unmask?whole=1`, as it is stored. */
export interface RunAnswer {
  readonly run: ShownRun;
  /** One row for each attempt that is recorded, oldest first; the latest twenty, and the one that runs now. */
  readonly attempts: readonly AttemptRow[];
  /** The policy that decides about it. */
  readonly policy: RunPolicy;
  /** What follows the latest failure by that policy; absent without a policy or a failure. */
  readonly explanation?: Explanation;
  /** Absent when no attempt follows. */
  readonly next?: NextAttempt;
  /** What visitors have done with it, newest first; of the acts that `GET acts` has. */
  readonly acts: readonly Act[];
  /** The command that shows the run in a terminal. */
  readonly command: string;
}

/** A run to look at. */
export interface ShownRun extends Omit<RunView, 'payload' | 'result' | 'errors' | 'retry'> {
  /** Absent if it cannot be read. */
  readonly payload?: ShownText;
  /** Absent unless it has completed. */
  readonly result?: ShownText;
}

/** `POST runs/:id/unmask`. Each is an act. */
export interface UnmaskRequest {
  /** Why; 1 to 512 bytes. */
  readonly reason: string;
}

/** JSON or other text, cut where it is long. */
export interface ShownText {
  readonly text: string;
  /** Characters of the whole text. */
  readonly length: number;
  /** `text` is only its beginning. */
  readonly isCut: boolean;
  /** `mask` has changed it. */
  readonly isMasked: boolean;
}

/** An error as it is shown. */
export interface ShownError extends ErrorFacts {
  readonly name: string;
  readonly message: ShownText;
  readonly stack?: ShownText;
}

/** One attempt of a run, in the order of time: it waited, it ran, it backed off. */
export interface AttemptRow {
  /** Counted from 1; uncharged attempts have the number of the one that follows. */
  readonly attempt: number;
  /** When its error was recorded; absent: it runs now. */
  readonly at?: number;
  /** Absent if it is not recorded. */
  readonly startedAt?: number;
  /** How long it ran. */
  readonly durationMs?: number;
  /** How long the first attempt waited: from the submission, or the redrive, until its start. Absent for others. */
  readonly waitedMs?: number;
  /** From its end until the next attempt started, or is due; absent of the last. */
  readonly backoffMs?: number;
  /** The name of the worker that made it; absent where it is not recorded, and of the attempt that runs now. */
  readonly worker?: string;
  /** Why it was retried, or was the last. */
  readonly reason?: AttemptReason;
  /** How many other runs stalled together with this one; absent where the attempt did not stall. */
  readonly stalledWith?: number;
  /** Absent: it runs now. */
  readonly error?: ShownError;
}

/** Where the policy of a run comes from. */
export type RunPolicy =
  | { readonly from: 'run' | 'task'; readonly policy?: PolicyInput; readonly maxAttempts: number | null }
  /** The board was not given the task: `tasks` of `createBoard`. */
  | { readonly from: 'unknown' };

/** When the next attempt of a run starts at the earliest. */
export type NextAttempt =
  /** The run waits: `runAt` is when it is due; after a failure, where the policy is known, with the bounds of its delay. */
  | {
      readonly type: 'due';
      /** Counted from 1. */
      readonly attempt: number;
      /** When it is due, or was. */
      readonly runAt: number;
      /** The shortest delay that the policy gives after the latest failure; a server or an operator may have set another. */
      readonly minMs?: number;
      /** The longest one. */
      readonly maxMs?: number;
    }
  /** An attempt is under way: if it fails, the next one starts this long after that. */
  | {
      readonly type: 'after-failure';
      /** Counted from 1: the one after that which runs. */
      readonly attempt: number;
      /** The shortest delay that the policy gives. */
      readonly minMs: number;
      /** The longest one. */
      readonly maxMs: number;
    }
  /** The run is a dead letter: after a redrive it starts with this attempt. */
  | { readonly type: 'redrive'; readonly attempt: number }
  /** An attempt is under way, and none follows if it fails. */
  | { readonly type: 'none'; readonly reason: FailReason };
