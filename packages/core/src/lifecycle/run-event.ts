/** Something that happens to a run at the instant `at`. */
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
  /** Given back unfinished, and not charged. */
  | { readonly type: 'release'; readonly at: number }
  /** Its worker fell silent, lost the lease or stopped. Charged, unless other runs stalled along with it (`isShared`). */
  | { readonly type: 'stall'; readonly at: number; readonly isShared?: boolean }
  /** A stalled run gets another attempt at `runAt`. */
  | { readonly type: 'recover'; readonly at: number; readonly runAt: number }
  /** A stalled run gets no other attempt. */
  | { readonly type: 'giveUp'; readonly at: number }
  | { readonly type: 'cancel'; readonly at: number }
  /** Nobody knows its task, and the lane says drop. */
  | { readonly type: 'drop'; readonly at: number }
  /** A concurrency or rate limit is reached: try again at `runAt`, or end where there is none. */
  | { readonly type: 'limit'; readonly at: number; readonly runAt?: number }
  /** An operator sends it back; attempts count anew unless `keepAttempts`. */
  | { readonly type: 'redrive'; readonly at: number; readonly keepAttempts?: boolean };

/** The name of an event. */
export type RunEventType = RunEvent['type'];
