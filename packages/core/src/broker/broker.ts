import type { EndState, RunState } from '../lifecycle/run-state.ts';
import type { AbortSignalLike } from '../policy/abort-signal-like.ts';
import type { Concurrency, Run } from './run.ts';
import type { SettleAnswer, Settlement } from './settlement.ts';

/**
 * Storage that keeps runs and executes named, fenced moves. It never computes a delay and never chooses a
 * state: whoever settles has asked core. Every verb takes many at a time, each call is atomic per run, and
 * answers stand in the order of what was asked. The clock of record is the broker's.
 */
export interface Broker {
  /** Resolves once the broker can serve: connected, and its server accepted. Without it, it can from the start. */
  readonly ready?: () => Promise<void>;
  /** Keeps new runs. A known id is not submitted again; its answer is `exists`. */
  readonly submit: (submissions: readonly Submission[]) => Promise<readonly SubmitAnswer[]>;
  /** Settles finished claims, then makes new ones, in one round trip; either part may be empty. */
  readonly settleAndClaim: (request: ExchangeRequest) => Promise<ExchangeReply>;
  /**
   * Extends leases to `leaseMs` from now and notes `heartbeatAt`; a lease never shrinks, and one that has run
   * out lives again as long as nobody took the run.
   */
  readonly heartbeat: (
    beats: readonly HeartbeatRequest[],
    leaseMs: number,
  ) => Promise<readonly HeartbeatAnswer[]>;
  /**
   * Started runs whose lease has run out, longest ago first, without their payloads (`payload: ''`). With `lanes`,
   * runs of other lanes take no part of `limit`, however many there are.
   */
  readonly findExpired: (limit: number, scope?: ExpiredScope) => Promise<readonly Run[]>;
  /** Cancels runs that wait immediately, and leaves a cancel request for the workers of started ones. */
  readonly cancel: (ids: readonly string[]) => Promise<readonly CancelAnswer[]>;
  /** Which of these leases have a cancel request; reads only, so that a worker can ask once a second. */
  readonly findCancelRequests: (leases: readonly HeartbeatRequest[]) => Promise<readonly HeartbeatRequest[]>;
  /**
   * Calls the listener with the run's id when a started run gets a cancel request; gives a function that takes the
   * listener back. Only brokers that can do so at no cost have it; a worker asks `findCancelRequests` all the same.
   */
  readonly onCancelRequest?: (listener: (id: string) => void) => () => void;
  /**
   * Sends failed, stalled and rate limited runs to the back of their lanes. Where attempts count anew, `errors`
   * and `previousDelayMs` go as well.
   */
  readonly redrive: (ids: readonly string[], options?: RedriveOptions) => Promise<readonly RedriveAnswer[]>;
  /** Forgets ended runs for good. */
  readonly discard: (ids: readonly string[]) => Promise<readonly DiscardAnswer[]>;
  readonly get: (ids: readonly string[], options?: GetOptions) => Promise<readonly (Run | undefined)[]>;
  /**
   * Runs that match, by ascending id. A page holds at most `limit` runs and about `MAX_BATCH_BYTES`, at least one if
   * there is any: only an empty page is the last one.
   */
  readonly list: (query: ListQuery) => Promise<readonly Run[]>;
  /** Resolves when one of the lanes may have work, at the latest after `timeoutMs` or when the signal aborts. */
  readonly waitForWork: (lanes: readonly string[], wait: WaitOptions) => Promise<void>;
  /**
   * Resolves when a run that was submitted with `keepResultMs` may have ended, at the latest after `timeoutMs` or when
   * the signal aborts. Runs that were submitted without it wake no caller here.
   */
  readonly waitForResult: (wait: WaitOptions) => Promise<void>;
  /**
   * Notes that a worker is alive and which lanes it works on (without an argument: only asks), and gives the lanes
   * that have waiting runs while no worker that is alive works on them.
   */
  readonly attend: (attendance?: Attendance) => Promise<readonly LaneDepth[]>;
  readonly audit: () => Promise<Audit>;
  /**
   * Whether a call that was rejected with this error would be rejected for ever: the server, or the client, refuses
   * what was sent, and is not merely busy, away or out of room.
   */
  readonly isRefusal: (error: unknown) => boolean;
  /** Submits take effect in the order of their calls, so that the next may leave before the last is answered. */
  readonly submitsInOrder?: boolean;
  /**
   * It opened its own connection (from a URL) and no caller holds it: a worker that a signal stopped closes such a
   * broker, so that its process can end.
   */
  readonly ownsConnection?: boolean;
  /**
   * The same broker inside a transaction of the user's, given whatever began it: what is submitted and settled there
   * holds once that commits. Only brokers that live in the user's own database have it.
   */
  readonly within?: (transaction: unknown) => Pick<Broker, 'submit' | 'settleAndClaim'>;
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
  /**
   * The id is a name that the caller gave: when the run has been forgotten, its id stays known (`exists`) until the
   * broker's `keepKeys` has passed since the run ended. Absent: the id is unique by itself and is forgotten with the run.
   */
  readonly keyed?: boolean;
  /**
   * A caller waits for the result: once the run has ended, retention (`keepCompleted`) does not touch it before it
   * has been collected (`get` with `collect`) or this many milliseconds have passed.
   */
  readonly keepResultMs?: number;
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

/** Which expired leases are meant. Without either, all. */
export interface ExpiredScope {
  /** Only runs of these lanes. */
  readonly lanes?: readonly string[];
  /** Only runs of other lanes than these. */
  readonly exceptLanes?: readonly string[];
}

/** How to read runs by their ids. */
export interface GetOptions {
  /** An ended run that was kept for its result (`keepResultMs`) is from now on kept like any other. @default false */
  readonly collect?: boolean;
  /** `none`: the caller only collects, and the broker may leave the answer empty. @default 'runs' */
  readonly answer?: 'runs' | 'none';
}

/** A worker that is alive. */
export interface Attendance {
  readonly worker: string;
  readonly lanes: readonly string[];
  /** How long it counts as alive unless it attends again; 0 takes it back. */
  readonly ttlMs: number;
}

/** How many runs wait in a lane. */
export interface LaneDepth {
  readonly lane: string;
  /**
   * Those that are due in the schedule are among them; those that wait for their concurrency key need not be. Counted
   * up to 10 000.
   */
  readonly waiting: number;
}

export interface HeartbeatRequest {
  readonly id: string;
  readonly epoch: number;
}

/** `cancel`: go on, and know that somebody asked to cancel the run. */
export type HeartbeatAnswer = 'ok' | 'cancel' | 'fenced' | 'gone';

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
  /** `omit`: `payload` is `''` and `result` is absent, for callers that need ids and records only. @default 'include' */
  readonly payloads?: 'include' | 'omit';
  /** The id after which to go on; ids come in ascending order, those beyond ASCII in the broker's own. */
  readonly after?: string;
}

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignalLike | undefined;
}

/** The conservation figures. Anything but 0 in `unbalanced` is a bug. */
export interface Audit {
  /** Runs ever created. */
  readonly created: number;
  readonly submitted: number;
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
