/**
 * What the server of the board and its page say to each other: JSON under `<basePath>/api`. Every instant is epoch milliseconds by
 * the broker's clock, those of acts by that of the board's process; every duration is milliseconds. {@link Routes} lists the routes.
 */
import type { ActsAnswer } from './api/acts.ts';
import type { GroupAnswer, GroupsAnswer } from './api/groups.ts';
import type { HoldAnswer, HoldRequest, ResumeRequest } from './api/holds.ts';
import type { OperationAnswer, OperationChangeAnswer, OperationsAnswer } from './api/operations.ts';
import type { OverviewAnswer, WorkersAnswer } from './api/overview.ts';
import type { ApplyRequest, PlanAnswer, PlanFilter } from './api/plans.ts';
import type { ReplayAnswer, ReplayRequest } from './api/replay.ts';
import type { RetriesAnswer } from './api/retries.ts';
import type { RightsAnswer } from './api/rights.ts';
import type { ActRequest, RescheduleRequest, ResubmitRequest, RunActAnswer } from './api/run-acts.ts';
import type { RunAnswer, UnmaskRequest } from './api/runs.ts';
import type { ScheduleRemovalAnswer, SchedulesAnswer } from './api/schedules.ts';
import type { SearchAnswer } from './api/search.ts';
import type { StormAnswer } from './api/storm.ts';

export type { Act, ActKind, ActsAnswer } from './api/acts.ts';
export type { ErrorAnswer } from './api/errors.ts';
export type {
  GroupAnswer,
  GroupRow,
  GroupsAnswer,
  SampleError,
  Trend,
} from './api/groups.ts';
export type { HoldAnswer, HoldRequest, ResumeRequest } from './api/holds.ts';
export type { OperationAnswer, OperationChangeAnswer, OperationsAnswer } from './api/operations.ts';
export type { Lateness, OverviewAnswer, WorkersAnswer } from './api/overview.ts';
export type { ApplyRequest, PlanAnswer, PlanFilter, PlanTask } from './api/plans.ts';
export type { ReplayAnswer, ReplayedRun, ReplayRequest } from './api/replay.ts';
export type { DueTimeline, LaneAttempts, RetriesAnswer } from './api/retries.ts';
export type { KnownTask, Right, Rights, RightsAnswer } from './api/rights.ts';
export type { ActRequest, RescheduleRequest, ResubmitRequest, RunActAnswer } from './api/run-acts.ts';
export type {
  AttemptRow,
  NextAttempt,
  RunAnswer,
  RunPolicy,
  RunRow,
  ShownError,
  ShownRun,
  ShownText,
  UnmaskRequest,
} from './api/runs.ts';
export type { ScheduleRemovalAnswer, ScheduleRow, SchedulesAnswer } from './api/schedules.ts';
export type { SearchAnswer } from './api/search.ts';
export type { LaneStorm, StormAnswer, StormFigures } from './api/storm.ts';

/**
 * `GET events?topic=overview&topic=runs%2F4f`: server-sent events. A topic is one of these paths, filled in and with its query, if it
 * has one; what is not, or is not encoded as `encodeURIComponent` and `URLSearchParams` do it, is left out; 8 are taken at most. The
 * name of an event is its topic, its data the answer of the route. Each topic is read every second at most, for all listeners
 * together, and sent when it has changed. The event `failed` has an `ErrorAnswer` and its `topic` when that cannot be read. A
 * stream ends after 5 minutes; a browser opens it again.
 */
export type LivePath =
  | 'overview'
  | 'workers'
  | 'groups'
  | 'groups/:lane/:id'
  | 'operations'
  | 'retries'
  | 'schedules'
  | 'storm'
  | 'runs/:id';

/** The answer of a route that can be followed. */
export type LiveAnswer<Path extends LivePath> = Routes[`GET ${Path}`]['answer'];

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
  readonly 'GET schedules': { readonly answer: SchedulesAnswer };
  readonly 'POST schedules/:id/remove': {
    readonly body: ActRequest;
    readonly answer: ScheduleRemovalAnswer;
  };
  readonly 'GET search': { readonly answer: SearchAnswer };
  readonly 'POST replay': { readonly body: ReplayRequest; readonly answer: ReplayAnswer };
  readonly 'GET acts': { readonly answer: ActsAnswer };
}

/** `GET events` answers a stream and is not among {@link Routes}. */
export type Route = keyof Routes;
