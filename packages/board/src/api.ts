/**
 * What the server of the board and its page say to each other: JSON under `<basePath>/api`. Every instant is epoch milliseconds by
 * the broker's clock, every duration milliseconds. {@link Routes} lists the routes.
 */
import type { Explanation, FailReason, PolicyInput } from '@retry/core';
import type {
  Audit,
  CancelAnswer,
  DiscardAnswer,
  DueTimes,
  Hold,
  LaneFigures,
  LiveWorker,
  Operation,
  RedriveAnswer,
  RescheduleAnswer,
  ResumeAnswer,
} from '@retry/core/broker';
import type { AttemptReason, ErrorFacts, ReplaySummary } from '@retry/core/failures';
import type {
  Finding,
  HealthFigures,
  LetterGroup,
  ListedState,
  PlannedGroup,
  PlannedLoad,
  RunView,
} from '@retry/worker';

/** What a visitor may do. */
export interface Rights {
  /** See everything that the board shows, masked; replay another policy. */
  readonly read: boolean;
  /** Redrive dead letters; pause, resume and cancel operations that redrive. */
  readonly redrive: boolean;
  /** Discard dead letters; pause, resume and cancel operations that discard. */
  readonly discard: boolean;
  /** Cancel runs. */
  readonly cancel: boolean;
  /** Put lanes on hold, and resume them. */
  readonly hold: boolean;
  /** Start a waiting run now or at another time; submit a run once more, with another payload. */
  readonly edit: boolean;
  /** See payloads, results, messages and stacks as they are stored, search them, and replay policies with patterns. */
  readonly unmask: boolean;
}

/** The name of a right. */
export type Right = keyof Rights;

/** `GET rights`: the first thing that the page asks. */
export interface RightsAnswer {
  readonly rights: Rights;
  /** Who the visitor is, if `access` said so; acts are recorded with it. */
  readonly by?: string;
  /** How the page writes instants. */
  readonly times: 'local' | 'utc';
  /** The tasks that the board was given. */
  readonly tasks: readonly KnownTask[];
  /** Absent where it runs from its sources. */
  readonly version?: string;
}

/** A task whose policy the board knows. */
export interface KnownTask {
  readonly task: string;
  readonly version: string;
  /** `name@version`. */
  readonly lane: string;
  /** Absent where it has classes or functions, which JSON cannot have. */
  readonly policy?: PolicyInput;
}

/** `GET overview`. */
export interface OverviewAnswer {
  /** The broker's clock. */
  readonly at: number;
  /** Those with runs that wait, a live worker or a hold of their own, by name. */
  readonly lanes: readonly LaneFigures[];
  /** `false`: there are more than 1 000 lanes. */
  readonly areAllLanes: boolean;
  /** Those that have not ended; those of all lanes first. */
  readonly holds: readonly Hold[];
  /** `unbalanced` other than 0 is a bug. Counted anew every 10 s at most; while that is under way, it is the one before. */
  readonly audit: Audit;
  /** What `queue.health()` found, critical ones first. */
  readonly findings: readonly Finding[];
  /** Those of `queue.health()`; what is not known is absent. */
  readonly figures: HealthFigures;
  /** How late attempts started, over the live workers: the latest of each lane. Absent until one has reported. */
  readonly lateness?: Lateness;
}

/** Over the lanes, the latest start of each in the latest interval of its workers. */
export interface Lateness {
  /** That of the middle lane. */
  readonly p50Ms: number;
  /** That which 99 of 100 lanes do not exceed; of up to 100 lanes, the latest. */
  readonly p99Ms: number;
}

/** `GET workers`. */
export interface WorkersAnswer {
  /** The broker's clock. */
  readonly at: number;
  /** Those whose registration has not lapsed, by name. */
  readonly workers: readonly LiveWorker[];
}

/** `GET groups?task=&version=&limit=&after=`: error groups, the largest first. */
export interface GroupsAnswer {
  /** Titles have passed `mask`. */
  readonly groups: readonly GroupRow[];
  /** In all groups of the version that was asked for, else of the whole queue. */
  readonly deadLetters: number;
  /** The `after` of the next page; absent on the last page. */
  readonly next?: string;
}

/** An error group. */
export interface GroupRow extends LetterGroup {
  /** Its dead letters by their end; in a list only of the first 20 groups, and of these only where it has 200 at most. */
  readonly trend?: Trend;
}

/** How many dead letters ended in equal spans of time, the last of which ends at `to`. */
export interface Trend {
  /** The earliest end. */
  readonly from: number;
  /** When the last span ends, which does not include it. */
  readonly to: number;
  /** How long each span is, ≥ 1. */
  readonly bucketMs: number;
  /** 48, the earliest span first. */
  readonly counts: readonly number[];
  /** How many dead letters were looked at. */
  readonly searched: number;
  /** `false`: the group has more, which were not looked at. */
  readonly isComplete: boolean;
}

/** The state of a dead letter. */
export type DeadLetterState = 'failed' | 'stalled' | 'rateLimited';

/** `GET groups/:lane/:id?state=&limit=&after=`: one group and a page of its dead letters. */
export interface GroupAnswer {
  /** Absent when the group has no dead letter any more. */
  readonly group?: GroupRow;
  /** Of its runs: that which was asked for, else that of the sample. */
  readonly state: DeadLetterState;
  /** Without payloads. */
  readonly runs: readonly RunRow[];
  /** The `after` of the next page; absent on the last page. */
  readonly next?: string;
  /** The latest error of the run that ended last, with its causes in the stack. */
  readonly sample?: SampleError;
  /** What a person types to see the same in a terminal. */
  readonly command: string;
}

/** One error to look at. */
export interface SampleError {
  readonly runId: string;
  /** Its message and stack have passed `mask`. */
  readonly error: ShownError;
}

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

/** Which dead letters a plan is for; runs have to match all that is given, and something has to be given. */
export interface PlanFilter {
  /** Only these runs; in any of the states unless `state` is given. */
  readonly ids?: readonly string[];
  /** The name of a task. */
  readonly task?: string;
  /** Needs `task`. */
  readonly version?: string;
  /** The id of an error group. */
  readonly group?: string;
  /** Only those whose latest error has this name. */
  readonly errorName?: string;
  /** `'1h'`, `'5m'` or milliseconds. */
  readonly olderThan?: string | number;
  /** Only those that ended at most this long ago: `'1h'`, `'5m'` or milliseconds. */
  readonly newerThan?: string | number;
  /** @default 'failed' */
  readonly state?: DeadLetterState;
}

/** `POST plans` takes a {@link PlanFilter}: what a redrive or a discard would do. It changes nothing. */
export interface PlanAnswer {
  /** To apply it. Kept for 15 minutes, in this process. */
  readonly id: string;
  /** As it was asked for. */
  readonly filter: PlanFilter;
  /** The instant of the plan: it covers what ended before. */
  readonly at: number;
  readonly count: number;
  /** `false`: there are at least `count`. */
  readonly isComplete: boolean;
  /** The largest first; titles have passed `mask`. */
  readonly groups: readonly PlannedGroup[];
  /** The one with most dead letters first. */
  readonly tasks: readonly PlanTask[];
  readonly load: PlannedLoad;
  /** At most ten. */
  readonly firstIds: readonly string[];
  /** The same as a command. */
  readonly command: string;
}

/** The dead letters of one task in a plan. */
export interface PlanTask {
  readonly task: string;
  readonly version: string;
  readonly count: number;
  /** Runs that were submitted with a policy of their own. */
  readonly ownPolicies: number;
  /** How long a run that fails at each attempt retries before it is dead again, at most. Absent: the task is not known, or it has no end. */
  readonly deadAgainAfterMs?: number;
}

/** `POST plans/:id/apply`. */
export interface ApplyRequest {
  readonly kind: 'redrive' | 'discard';
  /** How many runs are due per second, at most, over 0. @default no limit */
  readonly perSecond?: number;
  /** `'10m'` or milliseconds; needs a plan that is complete. */
  readonly spread?: string | number;
  /** Keeps the counted attempts; needs a plan of one task in one version, which the board was given. @default false */
  readonly keepAttempts?: boolean;
  /** Why; 1 to 512 bytes. */
  readonly reason: string;
}

/** An operation that was applied. */
export interface OperationAnswer {
  readonly operation: Operation;
}

/** `GET operations`: who does what, and who did. */
export interface OperationsAnswer {
  /** All that have not ended and the latest 100 others, newest first. */
  readonly operations: readonly Operation[];
  readonly acts: ActsAnswer;
}

/** `POST operations/:id/pause`, `…/resume`, `…/cancel`. */
export interface OperationChangeAnswer {
  /** `refused`: it has ended. */
  readonly answer: 'changed' | 'refused' | 'gone';
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
  /** The same run in a terminal. */
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
  /** Of the first attempt: from the submission, or the redrive, until it started. */
  readonly waitedMs?: number;
  /** From its end until the next attempt started, or is due; absent of the last. */
  readonly backoffMs?: number;
  /** The name of the worker that made it; absent where it is not recorded, and of the attempt that runs now. */
  readonly worker?: string;
  /** Why it was retried, or was the last. */
  readonly reason?: AttemptReason;
  /** Of a stall: how many other runs stalled together with it. */
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
  /** It waits: `runAt` is when it is due; after a failure, where the policy is known, with the bounds of its delay. */
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
  /** It runs: if this attempt fails, the next one starts this long after that. */
  | {
      readonly type: 'after-failure';
      /** Counted from 1: the one after that which runs. */
      readonly attempt: number;
      /** The shortest delay that the policy gives. */
      readonly minMs: number;
      /** The longest one. */
      readonly maxMs: number;
    }
  /** It is a dead letter: after a redrive it starts with this attempt. */
  | { readonly type: 'redrive'; readonly attempt: number }
  /** It runs, and no attempt follows a failure. */
  | { readonly type: 'none'; readonly reason: FailReason };

/** `POST runs/:id/run-now`, `…/cancel`, `…/redrive`, `…/discard`. */
export interface ActRequest {
  /** Why; 1 to 512 bytes. */
  readonly reason?: string;
}

/** `POST runs/:id/reschedule`: one of both. */
export interface RescheduleRequest extends ActRequest {
  /** Does not start before this instant. */
  readonly runAt?: number;
  /** Does not start before this long from now: `'10m'` or milliseconds. */
  readonly delay?: string | number;
}

/** `POST runs/:id/resubmit`. */
export interface ResubmitRequest extends ActRequest {
  /** JSON text. @default the payload of the old run */
  readonly payload?: string;
  /** Does not start before this long from now: `'10m'` or milliseconds. */
  readonly delay?: string | number;
}

/** What became of an act on a run. */
export type RunActAnswer =
  | { readonly answer: RescheduleAnswer | CancelAnswer | RedriveAnswer | DiscardAnswer }
  /** The new run, which names the old one as its origin. */
  | { readonly answer: 'submitted'; readonly id: string };

/** `GET retries?lane=`. */
export interface RetriesAnswer {
  /** The broker's clock. */
  readonly at: number;
  /** By lane, those with most runs first; 20 at most. */
  readonly attempts: readonly LaneAttempts[];
  /** The lanes with runs that are not among `attempts`. */
  readonly otherLanes: number;
  /** 10 minutes from now on, in spans of 5 s. */
  readonly near: DueTimeline;
  /** 24 hours from now on, in spans of 10 min. */
  readonly far: DueTimeline;
}

/** How many waiting and scheduled runs of a lane are about to start which attempt. */
export interface LaneAttempts {
  readonly lane: string;
  readonly task: string;
  readonly version: string;
  /** By attempt, counted from 1; only attempts that some run is about to start. */
  readonly counts: readonly { readonly attempt: number; readonly runs: number }[];
  /** How many runs were looked at. */
  readonly searched: number;
  /** `false`: there are more runs, which were not looked at. */
  readonly isComplete: boolean;
}

/** How many scheduled runs are due when. */
export interface DueTimeline extends DueTimes {
  /** When the first span begins. */
  readonly from: number;
  /** How long each span is. */
  readonly bucketMs: number;
}

/** `GET storm`. */
export interface StormAnswer {
  /** The broker's clock. */
  readonly at: number;
  /** Over all lanes; absent until a worker has reported. */
  readonly all?: StormFigures;
  /** Lanes that start attempts, most retries first. */
  readonly lanes: readonly LaneStorm[];
  /** The share of starts from which on retries make an outage worse. */
  readonly retryShareLine: 0.1;
  /** Circuit breakers and other holds. */
  readonly holds: readonly Hold[];
  /** What `queue.health()` found about retries. */
  readonly findings: readonly Finding[];
}

/** Attempts that start, and how many of them are retries. */
export interface StormFigures {
  /** Attempts that start, as workers reported them last. */
  readonly startsPerSecond: number;
  /** Of these, attempts after the first. */
  readonly retriesPerSecond: number;
  /** `retriesPerSecond / startsPerSecond`, from 0 to 1. */
  readonly retryShare: number;
  /** Attempts for each first attempt, ≥ 1; `null` where only retries start. */
  readonly amplification: number | null;
}

/** The figures of one lane. */
export interface LaneStorm extends StormFigures {
  readonly lane: string;
  readonly task: string;
  readonly version: string;
  /** The time in which starts were counted; where several workers counted, the longest. */
  readonly windowMs: number;
  /** Those that keep it from starting, those of all lanes included. */
  readonly holds: readonly Hold[];
  /** Whether its circuit breaker holds it; absent where it is closed and the board does not know the task. */
  readonly breaker?: 'open' | 'closed' | 'none';
}

/** `POST lanes/hold`: one of `lane` and `all`. */
export interface HoldRequest {
  /** `name@version` of its task. */
  readonly lane?: string;
  readonly all?: true;
  /** `'1h'` or milliseconds. @default until it is resumed */
  readonly for?: string | number;
  /** Why; 1 to 512 bytes. */
  readonly reason: string;
}

/** `POST lanes/resume`: one of both. */
export interface ResumeRequest extends ActRequest {
  /** `name@version` of its task. The holds of every source end. */
  readonly lane?: string;
  /** The holds of all lanes together end, not those of single lanes. */
  readonly all?: true;
}

/** What became of a hold. */
export interface HoldAnswer {
  readonly answer: 'held' | ResumeAnswer;
}

/** `GET search?text=&state=&task=&version=&attempt=&from=&to=&limit=&after=`; `state` may be given several times. */
export interface SearchAnswer {
  /** Without payloads. On the first page the run whose id the text is comes before all others, besides `limit`. */
  readonly runs: readonly RunRow[];
  /** How many runs were looked at for this page. */
  readonly searched: number;
  /** Whether these are all from `after` on. */
  readonly isComplete: boolean;
  /** The `after` of the next page; absent on the last page. */
  readonly next?: string;
  /**
   * What was looked through, for people. Without the right `unmask` a text is sought in what `mask` leaves, so that a search does not
   * reveal what it hides.
   */
  readonly looked: { readonly in: readonly string[]; readonly isMasked: boolean };
}

/** `POST replay`: what another policy would have decided about recorded failures. It changes nothing. */
export interface ReplayRequest {
  /** As `parsePolicy` reads it, without a registry. */
  readonly policy: PolicyInput;
  /** @default every lane */
  readonly lane?: string;
  /** The id of an error group; needs `lane`. @default every dead letter of the lane */
  readonly group?: string;
  /** How many runs, 1 to 1 000. @default 1000 */
  readonly limit?: number;
}

/** What a policy would have decided. */
export interface ReplayAnswer {
  /** Of all runs that were read. */
  readonly summary: ReplaySummary;
  /** What the task's own policy would have decided, which differs from what happened where the policy has changed. */
  readonly present?: ReplaySummary;
  /** `false`: there are more runs than `limit`. */
  readonly isComplete: boolean;
  /** A few runs, for instance. */
  readonly runs: readonly ReplayedRun[];
}

/** One run under another policy. */
export interface ReplayedRun {
  readonly id: string;
  /** Whether it would have had another attempt after the last recorded one. */
  readonly isRetried: boolean;
  /** The attempt after which it would have ended, counted from 1; if it is retried, the last recorded one. */
  readonly attempt: number;
  /** The last recorded attempt, counted from 1; 0 if none is recorded. */
  readonly recordedAttempt: number;
  /** Why it would have ended; absent if it is retried. */
  readonly reason?: FailReason | 'ended';
  /** By how much later it would have ended; negative: sooner. Absent if a time is missing. */
  readonly laterByMs?: number;
  /** The recorded facts that the policy had to do without. */
  readonly missing: readonly string[];
}

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
  /** By the clock of the board's process. */
  readonly at: number;
  /** What was done, or tried. */
  readonly kind: ActKind;
  /** What the target is. */
  readonly on: 'run' | 'lane' | 'operation' | 'plan';
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
  | 'unmask';

/**
 * `GET events?topic=overview&topic=runs%2F4f`: server-sent events. A topic is one of these paths, filled in and with its query, if it
 * has one; what is not, or is not encoded as `encodeURIComponent` and `URLSearchParams` do it, is left out; 8 are taken at most. The
 * name of an event is its topic, its data the answer of the route. Each topic is read every second at most, for all listeners
 * together, and sent when it has changed. The event `failed` has an {@link ErrorAnswer} and its `topic` when that cannot be read. A
 * stream ends after 5 minutes; a browser opens it again.
 */
export type LivePath =
  | 'overview'
  | 'workers'
  | 'groups'
  | 'groups/:lane/:id'
  | 'operations'
  | 'retries'
  | 'storm'
  | 'runs/:id';

/** The answer of a route that can be followed. */
export type LiveAnswer<Path extends LivePath> = Routes[`GET ${Path}`]['answer'];

/** What every route answers that refuses: status 400, 403, 404, 405, 409, 410, 413, 415, 429, 501, 502 or 503. */
export interface ErrorAnswer {
  readonly error: {
    /** `INVALID_OPTIONS`, `FORBIDDEN`, `CROSS_ORIGIN`, `NO_INSIGHT`, … */
    readonly code: string;
    readonly message: string;
    /** Every wrong part of the request, with status 400. */
    readonly problems?: readonly {
      readonly path: string;
      readonly message: string;
      readonly cure: string;
    }[];
    /** The right that is missing, with status 403. */
    readonly right?: Right;
  };
}

/** Every route: what it takes as its body, and what it answers with status 200. */
export interface Routes {
  readonly 'GET rights': { readonly answer: RightsAnswer };
  readonly 'GET overview': { readonly answer: OverviewAnswer };
  readonly 'GET workers': { readonly answer: WorkersAnswer };
  readonly 'GET groups': { readonly answer: GroupsAnswer };
  readonly 'GET groups/:lane/:id': { readonly answer: GroupAnswer };
  readonly 'POST plans': { readonly body: PlanFilter; readonly answer: PlanAnswer };
  readonly 'POST plans/:id/apply': { readonly body: ApplyRequest; readonly answer: OperationAnswer };
  readonly 'GET operations': { readonly answer: OperationsAnswer };
  readonly 'GET operations/:id': { readonly answer: OperationAnswer };
  readonly 'POST operations/:id/pause': { readonly body: ActRequest; readonly answer: OperationChangeAnswer };
  readonly 'POST operations/:id/resume': {
    readonly body: ActRequest;
    readonly answer: OperationChangeAnswer;
  };
  readonly 'POST operations/:id/cancel': {
    readonly body: ActRequest;
    readonly answer: OperationChangeAnswer;
  };
  readonly 'GET runs/:id': { readonly answer: RunAnswer };
  readonly 'POST runs/:id/unmask': { readonly body: UnmaskRequest; readonly answer: RunAnswer };
  readonly 'POST runs/:id/run-now': { readonly body: ActRequest; readonly answer: RunActAnswer };
  readonly 'POST runs/:id/reschedule': { readonly body: RescheduleRequest; readonly answer: RunActAnswer };
  readonly 'POST runs/:id/cancel': { readonly body: ActRequest; readonly answer: RunActAnswer };
  readonly 'POST runs/:id/resubmit': { readonly body: ResubmitRequest; readonly answer: RunActAnswer };
  readonly 'POST runs/:id/redrive': { readonly body: ActRequest; readonly answer: RunActAnswer };
  readonly 'POST runs/:id/discard': { readonly body: ActRequest; readonly answer: RunActAnswer };
  readonly 'GET retries': { readonly answer: RetriesAnswer };
  readonly 'GET storm': { readonly answer: StormAnswer };
  readonly 'POST lanes/hold': { readonly body: HoldRequest; readonly answer: HoldAnswer };
  readonly 'POST lanes/resume': { readonly body: ResumeRequest; readonly answer: HoldAnswer };
  readonly 'GET search': { readonly answer: SearchAnswer };
  readonly 'POST replay': { readonly body: ReplayRequest; readonly answer: ReplayAnswer };
  readonly 'GET acts': { readonly answer: ActsAnswer };
}

/** `GET events` answers a stream and is not among {@link Routes}. */
export type Route = keyof Routes;
