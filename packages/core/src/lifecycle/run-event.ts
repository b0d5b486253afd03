/** Something that happens to a run at the instant `at`, in epoch milliseconds. */
export type RunEvent =
  | { readonly type: 'submit'; readonly at: number; readonly runAt?: number }
  /** A scheduled run is due. */
  | { readonly type: 'promote'; readonly at: number }
  /** A worker claims it. */
  | { readonly type: 'start'; readonly at: number }
  | { readonly type: 'heartbeat'; readonly at: number }
  | { readonly type: 'complete'; readonly at: number }
  /** The attempt failed and another follows at `runAt`. */
  | { readonly type: 'retry'; readonly at: number; readonly runAt: number }
  /** The attempt failed and none follows. */
  | { readonly type: 'fail'; readonly at: number }
  /** Returned to its lane unfinished, now or at `runAt`, and not charged. */
  | { readonly type: 'release'; readonly at: number; readonly runAt?: number }
  /** The worker sent no heartbeat, lost the lease or stopped. Charged, unless other runs stalled with it (`isShared`). */
  | { readonly type: 'stall'; readonly at: number; readonly isShared?: boolean }
  /** A stalled run gets another attempt at `runAt`. */
  | { readonly type: 'recover'; readonly at: number; readonly runAt: number }
  /** A stalled run gets no other attempt. */
  | { readonly type: 'giveUp'; readonly at: number }
  | { readonly type: 'cancel'; readonly at: number }
  /** No worker knows its task, and unknown tasks are dropped. */
  | { readonly type: 'drop'; readonly at: number }
  /** A concurrency or rate limit is reached: the run is tried again at `runAt`, or ends without one. */
  | { readonly type: 'limit'; readonly at: number; readonly runAt?: number }
  /** An operator moves a waiting run to another instant; one that is in its lane and due now keeps its place. */
  | { readonly type: 'reschedule'; readonly at: number; readonly runAt?: number }
  /** An operator ends a waiting run. No attempt is charged. */
  | { readonly type: 'end'; readonly at: number; readonly as: 'completed' | 'failed' }
  /** An operator sends it back, now or at `runAt`; attempts are reset unless `keepAttempts`. */
  | {
      readonly type: 'redrive';
      /** When it happened, in epoch milliseconds. */
      readonly at: number;
      /** When it is due; absent, or not after `at`: now. */
      readonly runAt?: number;
      /** The counters of attempts stay as they are. @default false */
      readonly keepAttempts?: boolean;
    };

/** The name of an event. */
export type RunEventType = RunEvent['type'];
