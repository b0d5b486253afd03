/** `GET acts`: what visitors of this board have done. Another board of the same queue has its own. */
export interface ActsAnswer {
  /** Newest first. */
  readonly acts: readonly Act[];
  /** When the board was created, by the clock of its process. */
  readonly since: number;
  /** How many are kept at most. */
  readonly limit: number;
}

/** What a visitor did, or tried to do. */
export interface Act {
  /** When it was done, by the clock of the board's process. */
  readonly at: number;
  /** What was done, or tried. */
  readonly kind: ActKind;
  /** What the target is. */
  readonly on: 'run' | 'lane' | 'operation' | 'plan' | 'schedule';
  /** Its id or name; `all` for all lanes. */
  readonly target: string;
  /** What came of it, as the route answered; `error` with its code where it failed. */
  readonly answer: string;
  /** The id of the run or the operation that it has made. */
  readonly made?: string;
  /** Who the visitor is, as `access` said; absent if it did not. */
  readonly by?: string;
  /** What the visitor gave as the reason; absent if there was none. */
  readonly reason?: string;
}

/** What a visitor can do. */
export type ActKind =
  | 'apply-redrive'
  | 'apply-discard'
  | 'pause-operation'
  | 'resume-operation'
  | 'cancel-operation'
  | 'run-now'
  | 'reschedule'
  | 'cancel'
  | 'resubmit'
  | 'redrive'
  | 'discard'
  | 'hold'
  | 'resume'
  | 'unmask'
  | 'remove-schedule';
