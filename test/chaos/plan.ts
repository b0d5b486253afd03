/** Runs that are submitted. */
export const RUNS = 20_000;

/** Runs that die, besides those. */
export const MORTALS = 4_000;

/** How many of them are dead before the first strike, and before which strike operations on these are begun. */
export const DEAD_BEFORE = 1_500;
export const OPERATIONS_BEFORE = 3;

/** Worker processes that work at a time, and runs that each of them runs at a time. */
export const PROCESSES = 3;
export const CONCURRENCY = 50;

/** Workers that are killed; one in `FREEZE_EVERY` is frozen past its lease instead, then woken. */
export const KILLS = 25;
export const FREEZE_EVERY = 5;

/** The lease of a claim and the interval of the cleaner, in ms. */
export const LEASE_MS = 1_500;
export const CLEANER_MS = 300;

/** How long each hold of the lane lasts, in ms. */
export const HOLD_MS = 150;

/** The number of keys of unique runs. */
export const UNIQUE_KEYS = 20;

/** How long a worker is frozen, in ms: long past its lease. */
export const FREEZE_MS = 3 * LEASE_MS;

/** How often each worker process beats, and how long a prompt beat takes, at most, with its call to the server, in ms. */
export const BEAT_MS = 50;
export const PROMPT_MS = 200;

/** One thing that a worker process did, as a line of its log. */
export type Deed =
  | { readonly type: 'start'; readonly id: string; readonly epoch: number; readonly at: number }
  /** It had a turn of its event loop, and then an answer of the server; `from` is the instant of the one before, or when it began. */
  | { readonly type: 'beat'; readonly by: number; readonly from: number; readonly at: number }
  | { readonly type: 'stalled'; readonly id: string; readonly epoch: number; readonly at: number }
  | { readonly type: 'fenced'; readonly id: string; readonly epoch: number; readonly at: number };
