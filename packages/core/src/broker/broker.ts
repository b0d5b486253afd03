import type { EndState, RunState } from '../lifecycle/run-state.ts';
import type { Concurrency, Run } from './run.ts';
import type { SettleAnswer, Settlement } from './settlement.ts';

/**
 * Storage that keeps runs and executes named, fenced moves. It never computes a delay and never chooses a
 * state: whoever settles has asked core. Every verb takes many at a time, each call is atomic per run, and
 * answers stand in the order of what was asked. The clock of record is the broker's.
 */
export interface Broker {
  /** Keeps new runs. A known id is not submitted again; its answer is `exists`. */
  readonly submit: (submissions: readonly Submission[]) => Promise<readonly SubmitAnswer[]>;
  /** Settles finished claims, then makes new ones, in one round trip; either part may be empty. */
  readonly exchange: (request: ExchangeRequest) => Promise<ExchangeReply>;
  /**
   * Extends leases to `leaseMs` from now and notes `heartbeatAt`; a lease never shrinks, and one that has run
   * out lives again as long as nobody took the run.
   */
  readonly heartbeat: (beats: readonly Beat[], leaseMs: number) => Promise<readonly BeatAnswer[]>;
  /** Started runs whose lease has run out, longest ago first. */
  readonly findExpired: (limit: number) => Promise<readonly Run[]>;
  /** Cancels runs that wait, at once, and leaves word for the workers of started ones. */
  readonly cancel: (ids: readonly string[]) => Promise<readonly CancelAnswer[]>;
  /**
   * Sends failed, stalled and rate limited runs to the back of their lanes. Where attempts count anew, `errors`
   * and `previousDelayMs` go as well.
   */
  readonly redrive: (ids: readonly string[], options?: RedriveOptions) => Promise<readonly RedriveAnswer[]>;
  /** Forgets ended runs for good. */
  readonly discard: (ids: readonly string[]) => Promise<readonly DiscardAnswer[]>;
  readonly get: (ids: readonly string[]) => Promise<readonly (Run | undefined)[]>;
  readonly list: (query: ListQuery) => Promise<readonly Run[]>;
  /** Resolves when one of the lanes may have work, at the latest after `timeoutMs` or when the signal aborts. */
  readonly waitForWork: (lanes: readonly string[], wait: WaitOptions) => Promise<void>;
  readonly audit: () => Promise<Audit>;
  /** Submits take effect in the order of their calls, so that the next may leave before the last is answered. */
  readonly submitsInOrder?: boolean;
  /**
   * The same broker inside a transaction of the user's, given whatever began it: what is submitted and settled there
   * holds once that commits. Only brokers that live in the user's own database have it.
   */
  readonly within?: (transaction: unknown) => Pick<Broker, 'submit' | 'exchange'>;
  /**
   * Gives back what the broker opened itself; waits for what is under way and ends waits for work. Every later
   * call but this one rejects.
   */
  readonly close: () => Promise<void>;
}

export interface Submission {
  readonly id: string;
  readonly lane: string;
  /** JSON text. */
  readonly payload: string;
  /** Not before this instant; absent or past is now. */
  readonly runAt?: number;
  /** Not before this long from now by the broker's clock; the later of the two holds. */
  readonly delayMs?: number;
  readonly concurrency?: Concurrency;
}

export type SubmitAnswer = 'created' | 'exists';

export interface ExchangeRequest {
  readonly settle?: readonly Settlement[];
  readonly claim?: Claim;
}

export interface Claim {
  readonly worker: string;
  /**
   * Asked again with the same id, the claim gives the same runs as they were handed out, settled meanwhile or
   * not, and charges nothing. A broker remembers the latest few claims of a worker that got something.
   */
  readonly requestId: string;
  /** How many runs to take in all, at most. */
  readonly limit: number;
  /** How many runs to take from each lane at most; earlier lanes first. What is due in them is promoted first. */
  readonly lanes: ReadonlyMap<string, number>;
  readonly leaseMs: number;
}

export interface ExchangeReply {
  readonly settled: readonly SettleAnswer[];
  /** Runs that are now started and leased to the worker. */
  readonly claimed: readonly ClaimedRun[];
  /** The broker's clock, in epoch milliseconds. */
  readonly now: number;
  /**
   * When the next scheduled run of the claimed lanes is due; absent when there is none. In the past when more
   * runs were due than one claim promotes.
   */
  readonly nextRunAt?: number;
}

export interface ClaimedRun {
  readonly run: Run<'started'>;
  /** When the lease ends unless a heartbeat extends it. */
  readonly leaseUntil: number;
  /** Its concurrency key is full (`whenFull: 'claim'`): the worker is to settle it with `limit`, not to run it. */
  readonly isOverLimit: boolean;
}

export interface Beat {
  readonly id: string;
  readonly epoch: number;
}

/** `cancel`: go on, and know that somebody asked to cancel the run. */
export type BeatAnswer = 'ok' | 'cancel' | 'fenced' | 'gone';

/**
 * `cancelled`: at once. `requested`: it is running; its worker hears by heartbeat, and should it be settled to go
 * on before, it is cancelled then instead of waiting again. `ended`: too late.
 */
export type CancelAnswer = 'cancelled' | 'requested' | 'ended' | 'gone';

export interface RedriveOptions {
  /** Attempts go on counting where they stopped. @default false */
  readonly keepAttempts?: boolean;
}

/** `refused`: its state is none that can be redriven. */
export type RedriveAnswer = 'redriven' | 'refused' | 'gone';

/** `refused`: it has not ended. */
export type DiscardAnswer = 'discarded' | 'refused' | 'gone';

export interface ListQuery {
  readonly state: RunState;
  readonly lane?: string;
  /** Only runs that ended before this instant. */
  readonly endedBefore?: number;
  /** Only runs whose latest error has this name. */
  readonly errorName?: string;
  /** 1 to 1000. */
  readonly limit: number;
  /** The id after which to go on; ids come in ascending order, those beyond ASCII in the broker's own. */
  readonly after?: string;
}

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignalLike | undefined;
}

/** The part of an AbortSignal that a broker needs; core names no runtime's types. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  readonly addEventListener: (type: 'abort', listener: () => void) => void;
  readonly removeEventListener: (type: 'abort', listener: () => void) => void;
}

/** The conservation figures. Anything but 0 in `unbalanced` is a bug. */
export interface Audit {
  /** Runs ever created. */
  readonly submitted: number;
  readonly waiting: number;
  readonly scheduled: number;
  readonly started: number;
  readonly ended: Readonly<Record<EndState, number>>;
  /** Ended runs that were discarded, or left by retention. */
  readonly forgotten: number;
  /**
   * How far submitted is from waiting + scheduled + started + ended + forgotten, plus runs found in more than one
   * place or in none, plus starts that a concurrency key counts for no started run. Never negative.
   */
  readonly unbalanced: number;
}
