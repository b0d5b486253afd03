export type { Emitter, ListenerError as Trouble } from './emitter.ts';
export type { ErrorText } from './error-text.ts';
export {
  CancelledError,
  LeaseLostError,
  NotCommittedError,
  PayloadError,
  ShutdownError,
  StalledError,
} from './errors.ts';
export type { Queue, QueueOptions } from './queue/create-queue.ts';
export { createQueue } from './queue/create-queue.ts';
export type {
  DeadLetterFilter,
  DeadLetterState,
  DiscardFilter,
  RedriveFilter,
} from './queue/dead-letter-filter.ts';
export type { DeadLetters } from './queue/dead-letters.ts';
export type { PartlySubmitted } from './queue/errors.ts';
export { PartlySubmittedError, RunFailedError, RunForgottenError, WaitTimeoutError } from './queue/errors.ts';
export type { QueueEvents } from './queue/queue-events.ts';
export type { RunResult } from './queue/run-result.ts';
export type { SubmitOptions, Submitted } from './queue/submit-options.ts';
export type { SubmitAndWaitOptions, Submitting } from './queue/submitting.ts';
export type { WaitForResult, WaitForResultOptions } from './queue/wait-for-result.ts';
export { defineTask } from './task/define-task.ts';
export type { SchemaIssue, SchemaResult, StandardSchema } from './task/standard-schema.ts';
export type {
  AnyTask,
  Completion,
  Handler,
  LimitPolicy,
  RetryRequest,
  ShutdownPolicy,
  StallPolicy,
  Task,
  TaskContext,
  TaskFor,
  TaskInput,
} from './task/task.ts';
export type { DialectTask } from './task/task-from.ts';
export { taskFrom } from './task/task-from.ts';
export type { Worker } from './worker/create-worker.ts';
export { createWorker } from './worker/create-worker.ts';
export type { RunNotice, WorkerEvents, WorkerEventType } from './worker/events.ts';
export type { LateCause } from './worker/lateness.ts';
export type { SignalName, WorkerOptions } from './worker/options.ts';
export type { Redact } from './worker/redact.ts';
