import { RetryError } from '../errors.ts';
import type { AbortSignalLike } from '../fields/value-rules.ts';
import type { EndState, RunState } from '../lifecycle/run-state.ts';
import type { Change, ChangeAnswer, ChangeOptions, Reading } from './change.ts';
import type { ExchangeReply, ExchangeRequest } from './exchange.ts';
import type { HeartbeatAnswer, HeartbeatModule, HeartbeatRequest } from './heartbeat.ts';
import type { ReadFigures } from './insight/figures.ts';
import type { WorkerFacts } from './insight/workers.ts';
import type { Notes } from './notes.ts';
import type { Reservation, Reserved, StartCorrection } from './reservation.ts';
import type { Run } from './run.ts';
import type { LockOptions, Submission, SubmitAnswer } from './submission.ts';

/**
 * Storage that keeps runs and executes named, fenced moves. It never computes a delay and never chooses a state: the
 * caller asks core first. Every verb takes a batch, each call is atomic per run, and answers come in the order of the
 * input. The clock of record is the broker's.
 *
 * A verb that is given a value which its types do not allow rejects with an `InvalidOptionsError` that names it, and stores nothing.
 * `NaN` is no number here. An instant or delay before now is now, and one after `MAX_INSTANT_AT` is that.
 */
export interface Broker {
  /** Resolves once the broker can serve: connected, and its server accepted. Without it, it can from the start. */
  readonly ready?: () => Promise<void>;
  /** Stores new runs. A known id is not submitted again; its answer is `exists`. */
  readonly submit: (
    submissions: readonly Submission[],
    options?: LockOptions,
  ) => Promise<readonly SubmitAnswer[]>;
  /** Settles finished claims, then makes new ones, in one round trip; either part may be empty. */
  readonly exchange: (request: ExchangeRequest) => Promise<ExchangeReply>;
  /**
   * Extends leases to `leaseMs` from now (`0 ≤ leaseMs < Infinity`) and sets `heartbeatAt`. A lease never shrinks; an expired one
   * is valid again unless its run was taken meanwhile. With 0 it answers the same and writes nothing, so a worker can ask for cancel
   * requests once a second.
   */
  readonly heartbeat: (
    beats: readonly HeartbeatRequest[],
    leaseMs: number,
  ) => Promise<readonly HeartbeatAnswer[]>;
  /**
   * Returns started runs whose lease has expired, longest ago first, without their payloads (`payload: ''`); at most `limit`, an
   * integer ≥ 0. With `lanes`, runs of other lanes do not count against it. A broker of several servers has that order of each of them, and
   * returns runs of all in turn.
   */
  readonly findExpired: (limit: number, scope?: ExpiredScope) => Promise<readonly Run[]>;
  /**
   * Writes runs that no worker holds, and cancel requests of those that one does, each only if it is still what was seen. Whatever
   * follows from the difference of the two states follows in the same write: where it waits, a slot of its concurrency key, its error
   * group, retention, notifications. `changeRuns` of the kit reads, decides and writes.
   *
   * With notes, all runs and notes are written in one atomic step, or none: `fenced`, if one of the notes is not what was seen, and where
   * one of the runs is not `done`, the others are not either, and the answers say which would be. Then there are at most 500 runs, each
   * once, or none; and all of them are what the same notes can be written with: see `SeenRun.beside`.
   */
  readonly change: (
    changes: readonly Change[],
    options?: ChangeOptions,
  ) => Promise<readonly ChangeAnswer[] | 'fenced'>;
  /**
   * Counts starts against limits that all workers share, and returns how many of them are within the limit: in no window of
   * `windowMs`, wherever it begins, are more than `limit` granted, by the broker's clock. Several requests of one key are answered
   * in order. A limit that is not used is forgotten. `reserveStarts` and `correctStarts` of the kit are this rule as pure functions.
   */
  readonly reserve: (requests: readonly (Reservation | StartCorrection)[]) => Promise<readonly Reserved[]>;
  /** Returns the runs of these ids, `undefined` for an unknown one; or with what `change` recognises them by. */
  readonly get: GetRuns;
  /**
   * Returns a page of matching runs, in the order in which the broker keeps the runs of the state:
   *
   * - `submitted`: by lane, and in each lane the run that is claimed next first. A run that waits for its concurrency
   *   key keeps its order in the lane. Runs behind the turn of their fairness key are in the order in which they came, somewhere
   *   among those of their lane.
   * - `scheduled`: by lane, then by `runAt`; of runs that are due at the same instant, those scheduled first.
   * - `started`: in the broker's own order.
   * - ended: dead letters by id, those of one error group by lane before. Then the runs whose result is kept for a caller (`keepResultMs`), by when that ends; then
   *   all others by when they ended or their result was collected. Those that one call ends may come in any order.
   *
   * Of the pages from the first to the last one, each run that is in the state the whole time, and is not moved, is on
   * exactly one. One that comes into the state meanwhile may be missing. One that is moved within it may be on two: into or
   * out of the runs that wait for a concurrency key, when it gets the turn of its fairness key, or when its result is collected.
   *
   * A page takes a bounded time, however many runs there are, and holds at most `limit` runs and about 8 MiB. It may
   * therefore be shorter, or empty: only a page without `next` is the last.
   *
   * @throws {InvalidOptionsError} when `after` is not the `next` of a page of this broker, state and lane
   */
  readonly list: (query: ListQuery) => Promise<RunPage>;
  /**
   * Resolves when one of the lanes may have work, or, with `results`, when a run that was submitted with `keepResultMs` may have ended:
   * runs that were submitted without it do not end that wait. At the latest after `timeoutMs` or when the signal aborts. At times it
   * resolves although nothing has happened since it began.
   */
  readonly wait: (request: WaitRequest) => Promise<void>;
  /**
   * Registers a live worker and its lanes (without an argument: registers none), and returns the lanes that have
   * waiting runs but no live worker.
   */
  readonly attend: (attendance?: Attendance) => Promise<readonly LaneDepth[]>;
  /**
   * Keeps small versioned documents that all processes share.
   *
   * Those whose keys begin with `hold/` are holds, `hold/<source>/<lane>`, without a lane for all of them: from the answer to such a write
   * on no claim starts a run of the lane, until the note is gone. Of one that probes see `NoteWrite.probeMs`. Each such write wakes the
   * workers that wait for work of the lane. A broker of several servers has brought these holds to all of them before it answers, `changed`
   * as well. `holdLanes` of the kit writes them.
   */
  readonly notes: Notes;
  /** Returns the conservation figures: every run ever created is in exactly one state, or forgotten. */
  readonly audit: () => Promise<Audit>;
  /**
   * Returns what operators ask about a queue as a whole: exactly the figures that the query names. It takes a bounded time, however many
   * runs there are: what is counted only up to a bound says so. It changes nothing. A broker without it does everything else.
   */
  readonly figures?: ReadFigures;
  /**
   * Returns whether the same call would be rejected with this error again: the server or the client refuses the input,
   * and is not merely busy, unreachable or out of memory.
   */
  readonly isRefusal: (error: unknown) => boolean;
  /**
   * Returns the same broker inside a transaction of the user's, given the client that began it: submissions and
   * settlements take effect when it commits. Only brokers that live in the user's own database have it.
   */
  readonly within?: (transaction: unknown) => Pick<Broker, 'submit' | 'exchange'>;
  /** How it is connected. Without them it is used with the least assumptions. */
  readonly facts?: BrokerFacts;
  /**
   * Closes what the broker opened itself, after the calls under way; ends waits for work. Every later call except
   * `close` rejects.
   */
  readonly close: () => Promise<void>;
}

/** What a broker says about its connection. */
export interface BrokerFacts {
  /**
   * How heartbeats reach the server while handlers keep the event loop, or a client, busy: by another thread. `not-needed`: no other
   * process claims the runs. `shared-client`: not at all, as they are sent over a client that handlers can take. Absent: by the event
   * loop, over a connection that handlers cannot take.
   */
  readonly heartbeats?: HeartbeatModule | 'not-needed' | 'shared-client';
  /**
   * Calls take effect, and are answered, in their order: the next submit may be sent before the last is answered, and of two claims
   * the earlier one has the earlier runs. @default false
   */
  readonly submitsInOrder?: boolean;
  /**
   * The broker opened its connection itself, from a URL. A worker that a signal stopped closes such a broker, so that
   * the process can end. @default false
   */
  readonly ownsConnection?: boolean;
}

/** Which expired leases to find. Without either key, all. */
export interface ExpiredScope {
  /** Only runs of these lanes. */
  readonly lanes?: readonly string[];
  /** Only runs of other lanes than these. */
  readonly exceptLanes?: readonly string[];
}

/** Returns runs, in the form that is asked for. */
export type GetRuns = <Form extends keyof RunsAnswers = 'runs'>(
  ids: readonly string[],
  options?: GetOptions<Form>,
) => Promise<RunsAnswers[Form]>;

/** What `get` answers, by `GetOptions.answer`. */
export interface RunsAnswers {
  /** Whole runs; `undefined` for an unknown id. */
  readonly runs: readonly (Run | undefined)[];
  /** Perhaps nothing: the caller only collects. */
  readonly none: readonly (Run | undefined)[];
  /** Whether runs are read for `change`: without payloads, and each with what the broker recognises it by. */
  readonly seen: Reading;
}

/** Options of `get`. */
export interface GetOptions<Form extends keyof RunsAnswers = keyof RunsAnswers> {
  /**
   * Whether an ended run that was kept for its result (`keepResultMs`) is kept like any other from now on. Not with
   * `seen`, which leaves results out. @default false
   */
  readonly collect?: boolean;
  /** The form of the answer: see {@link RunsAnswers}. @default 'runs' */
  readonly answer?: Form;
}

/** The registration of a live worker. */
export interface Attendance {
  /** The worker's name, 1 to 512 bytes. What it says replaces what was said by this name before. */
  readonly worker: string;
  /** The lanes that it works on, `name@version` each. */
  readonly lanes: readonly string[];
  /** How long the worker counts as alive unless it attends again, `0 ≤ ttlMs < Infinity`; 0 ends the registration. */
  readonly ttlMs: number;
  /** What `listWorkers` of the kit returns of it, in place of what it said before. */
  readonly facts?: WorkerFacts;
}

/** How many runs wait in a lane. */
export interface LaneDepth {
  /** The ready list: `name@version` of its task. */
  readonly lane: string;
  /**
   * Includes scheduled runs that are due; runs that wait for their concurrency key need not be included. Counted up to
   * 10 000.
   */
  readonly waiting: number;
}

/** Which runs to list. */
export interface ListQuery {
  /** One state; its runs have an order and cursors of their own. */
  readonly state: RunState;
  /** Absent: of every lane. */
  readonly lane?: string;
  /** Only runs that ended before this instant. */
  readonly endedBefore?: number;
  /** Only runs whose latest error has this name. */
  readonly errorName?: string;
  /**
   * Only dead letters of the error group of this id, by lane, then by id; only for states of dead letters. Whatever `disposable`
   * says, disposable runs are in no group.
   */
  readonly errorGroup?: string;
  /** `omit`: without the failed, stalled and rate limited runs that retention may delete (`isDisposable`). @default 'include' */
  readonly disposable?: 'include' | 'omit';
  /** An integer, 1 to 1 000. */
  readonly limit: number;
  /** `omit`: `payload` is `''` and `result` is absent, for callers that need ids and records only. @default 'include' */
  readonly payloads?: 'include' | 'omit';
  /** The `next` of the page before; absent: the first page. */
  readonly after?: string;
}

/** A page of runs. */
export interface RunPage {
  /** The runs, at most `limit`; perhaps fewer, or none, though there is a `next`. */
  readonly runs: readonly Run[];
  /** Where the next page begins, as `after` takes it; absent on the last page. It may be kept, but not read. */
  readonly next?: string;
}

/** What to wait for. */
export type WaitRequest = WaitForWork | WaitForResults;

/** Waits for work. */
export interface WaitForWork extends WaitOptions {
  /** The lanes that may have it. */
  readonly lanes: readonly string[];
  readonly results?: undefined;
}

/** Waits for results that are kept. */
export interface WaitForResults extends WaitOptions {
  /** The end of any run whose result is kept. */
  readonly results: true;
  readonly lanes?: undefined;
}

/** How long to wait. */
export interface WaitOptions {
  /** `timeoutMs ≥ 0`; `Infinity`: without a timeout. */
  readonly timeoutMs: number;
  /** Ends the wait, which then resolves. */
  readonly signal?: AbortSignalLike | undefined;
}

/** The conservation figures. A value other than 0 in `unbalanced` is a bug. */
export interface Audit {
  /** Runs ever created. */
  readonly created: number;
  /** Runs that wait in their lanes, those that wait for a slot of their concurrency key included. */
  readonly submitted: number;
  /** Runs that wait until `runAt`; those that are due stay among them until a claim promotes them. */
  readonly scheduled: number;
  /** Runs that are leased, those whose lease has expired included. */
  readonly started: number;
  /** Runs that have ended and are kept, dead letters included. */
  readonly ended: Readonly<Record<EndState, number>>;
  /** Ended runs that were discarded, or deleted by retention. */
  readonly forgotten: number;
  /**
   * The difference between runs ever created and the sum of the other figures, plus runs found in more than one list
   * or in none, plus slots that a concurrency key counts without a started run. Never negative.
   */
  readonly unbalanced: number;
}

/** Codes of errors that every broker may reject with; each broker adds its own. */
export type BrokerErrorCode = 'BROKER_CLOSED' | 'INVALID_SETTLEMENT' | 'NOTES_BUSY';

/**
 * A broker was used wrongly, or its storage is not fit for use. Errors of the server and of its client are passed on as
 * they are.
 */
export class BrokerError<Code extends string = string> extends RetryError<Code> {
  override readonly name: string = 'BrokerError';
}
