import type { ErrorGroupName } from './insight/groups.ts';
import type { NoteWrite } from './notes.ts';
import type { Run } from './run.ts';

/** Runs as `get` returns them for a change. */
export interface Reading {
  /** The broker's clock, in epoch milliseconds. */
  readonly now: number;
  /** The runs in the order of the ids; `undefined` for an unknown one. */
  readonly runs: readonly (SeenRun | undefined)[];
}

/**
 * A run without its payload and result (`payload: ''`), as it was read. `trimmed` is `['payload']` where retention has deleted the
 * payload, and absent otherwise.
 */
export interface SeenRun {
  /** What it was then. */
  readonly run: Run;
  /**
   * What the broker recognises it by: text that may be kept, but not read. It changes with every move of the run, and when its payload is
   * deleted.
   */
  readonly seen: string;
  /** What is stored of the run cannot be read: it may be deleted once it has ended, and not be changed otherwise. */
  readonly isUnreadable?: boolean;
  /**
   * What the keys of notes begin with that one `change` can write together with this run, and with others of the same. Absent: any that
   * begins with no such text. Only a broker that is spread over several servers has it.
   */
  readonly beside?: string;
}

/** What a run that was read is to be. */
export interface Change {
  /** The id of the run. */
  readonly id: string;
  /** `seen` of the reading that `next` was made from. */
  readonly seen: string;
  /**
   * The run after a move by core's `transition`: a waiting run that ends or is due at another instant, a dead letter that waits again,
   * or a started run with a cancel request (`isCancelRequested`), of which nothing else changes. What a run was submitted with stays as
   * it is. `forget`: deletes a run that has ended.
   */
  readonly next: Run | 'forget';
  /** What it is counted under if it becomes a dead letter. */
  readonly group?: ErrorGroupName | undefined;
}

/** Options of `change`. */
export interface ChangeOptions {
  /** Notes that are written in the same atomic step, none of them a hold. */
  readonly notes?: readonly NoteWrite[];
}

/**
 * `done`: it is what it was to be. `changed`: it is no longer what was seen, or a worker holds it; read it again. A run that has ended is
 * not ended again, though core's table lets a stalled one be given up, which its settlement does: that is answered `changed` each time.
 * `locked`: another client's transaction has it or its key; ask again later. `gone`: there is no such run.
 */
export type ChangeAnswer = 'done' | 'changed' | 'locked' | 'gone';
