export type { Policy, PolicyInput } from '@retry/core';
export type {
  AttemptError,
  Audit,
  Broker,
  CancelAnswer,
  Concurrency,
  EndAnswer,
  ErrorGroupName,
  GroupNotice,
  Hold,
  HoldSource,
  LaneDepth,
  Operation,
  OperationFilter,
  OperationState,
  RescheduleAnswer,
  ResumeAnswer,
  ServerMemory,
} from '@retry/core/broker';
export type { BudgetState, RetryBudget } from '@retry/core/budget';
export type { CircuitBreakerInput, CircuitBreakerSettings } from '@retry/core/circuit-breaker';
export type { DeadLetterState, EndState, RunState } from '@retry/core/lifecycle';
export type { Queue, QueueOptions } from './create-queue.ts';
export { createQueue } from './create-queue.ts';
export type { Worker } from './create-worker.ts';
export { createWorker } from './create-worker.ts';
export type { ListenerError } from './emitter.ts';
export { claimGroupNotices } from './engine/attendance/group-notices.ts';
export type { ErrorText } from './error-text.ts';
export type { WorkerErrorCode } from './errors.ts';
export {
  CancelledError,
  CostError,
  FairnessKeyError,
  InsightError,
  LeaseLostError,
  NotCommittedError,
  OperationError,
  PartlySubmittedError,
  PayloadError,
  ReleasesExhaustedError,
  RunFailedError,
  RunForgottenError,
  ShutdownError,
  StalledError,
  WaitTimeoutError,
} from './errors.ts';
export type { LateCause, QueueEvents, RunNotice, WorkerEvents } from './events.ts';
export type { InstantInput } from './option-rules.ts';
export type { SignalName, WorkerOptions } from './options.ts';
export type { Finding } from './queue/health/findings.ts';
export type { Health, HealthFigures, Observing } from './queue/health/health.ts';
export type { HealthOptions } from './queue/health/health-options.ts';
export type {
  DeadLetterFilter,
  DeadLetterListOptions,
  DiscardFilter,
  RedriveFilter,
} from './queue/operate/dead-letter-filter.ts';
export type { DeadLetters, ListDeadLetters } from './queue/operate/dead-letters.ts';
export type { ForgetFilter, Forgetting } from './queue/operate/forget.ts';
export type { Holding, HoldOptions, HoldTarget } from './queue/operate/holds.ts';
export type {
  LetterGroup,
  LetterGroupPage,
  LetterGroupsOptions,
  ListLetterGroups,
} from './queue/operate/letter-groups.ts';
export type { Operating, RescheduleOptions } from './queue/operate/operating.ts';
export type { Resubmit, ResubmitOptions } from './queue/operate/resubmit.ts';
export type { ApplyOptions } from './queue/plans/apply-options.ts';
export type { PlannedGroup } from './queue/plans/count-letters.ts';
export type {
  AppliedOperation,
  Plan,
  PlannedDeadLetters,
  PlannedLoad,
  PlannedTask,
} from './queue/plans/plan.ts';
export type { PlanFilter } from './queue/plans/plan-options.ts';
export type { OperationWaitOptions, QueueOperations } from './queue/plans/queue-operations.ts';
export type { WaitForResult, WaitForResultOptions } from './queue/results/wait-options.ts';
export type { SubmitOptions, Submitted } from './queue/submission.ts';
export type { SubmitAndWaitOptions, SubmitArguments } from './queue/submit.ts';
export type { SubmitEachOptions, SubmitManyOptions } from './queue/submit-each.ts';
export type { SpentOptions } from './queue/submit-options/submit-spent.ts';
export type { UniqueOptions } from './queue/submit-options/submit-unique.ts';
export type {
  ListedState,
  ListOptions,
  PageOptions,
  RunFilter,
  ViewOptions,
} from './queue/views/list-options.ts';
export type { Listing, ListPage } from './queue/views/listing.ts';
export type { GetRun, ListRuns, RunReading, SearchRuns } from './queue/views/reading.ts';
export type { RunResult } from './queue/views/run-result.ts';
export type { AttemptErrorView, RunView } from './queue/views/run-view.ts';
export type { SearchOptions, SearchPage } from './queue/views/search.ts';
export type { Instants, Times } from './queue/views/times.ts';
export type { MissedFires } from './schedules/schedule.ts';
export type { ScheduleOptions } from './schedules/schedule-options.ts';
export type { ListSchedules, SchedulePage, ScheduleView, Scheduling } from './schedules/scheduling.ts';
export type { DrainEnd, DrainOptions, DrainReport } from './session/drain.ts';
export type { ClaimedCall, HandlingCall, SubmittingCall } from './session/observed-calls.ts';
export type { WhenIdleOptions } from './session/when-idle.ts';
export type { Redact } from './settle/stored-error.ts';
export type { DeadLetter } from './task/dead-letter.ts';
export { defineTask } from './task/define-task.ts';
export type { JsonSafe, NotJson, StoredPayload } from './task/json.ts';
export type { SchemaIssue, SchemaResult, StandardSchema } from './task/schema.ts';
export type {
  AnyTask,
  DeadLetterTask,
  GlobalRateLimit,
  Handler,
  LimitPolicy,
  PayloadReader,
  ShutdownPolicy,
  StallPolicy,
  StartLimit,
  Task,
  TaskFor,
  TaskInput,
} from './task/task.ts';
export { isTask } from './task/task.ts';
export type {
  Completion,
  HandlerHold,
  ReleaseRequest,
  RetryRequest,
  TaskContext,
} from './task/task-context.ts';
export type { DialectTask } from './task/task-from.ts';
export { taskFrom } from './task/task-from.ts';
