export type { Queue, QueueOptions } from './create-queue.ts';
export { createQueue } from './create-queue.ts';
export type { Worker } from './create-worker.ts';
export { createWorker } from './create-worker.ts';
export type { Emitter, ListenerError } from './emitter.ts';
export type { ErrorText } from './error-text.ts';
export type { PartlySubmitted } from './errors.ts';
export {
  CancelledError,
  LeaseLostError,
  NotCommittedError,
  PartlySubmittedError,
  PayloadError,
  RunFailedError,
  RunForgottenError,
  ShutdownError,
  StalledError,
  WaitTimeoutError,
} from './errors.ts';
export type { LateCause, QueueEvents, RunNotice, WorkerEvents, WorkerEventType } from './events.ts';
export type { SignalName, WorkerOptions } from './options.ts';
export type {
  DeadLetterFilter,
  DeadLetterState,
  DiscardFilter,
  RedriveFilter,
} from './queue/dead-letter-filter.ts';
export type { DeadLetters } from './queue/dead-letters.ts';
export type { RunResult } from './queue/read-runs.ts';
export type { SubmitOptions, Submitted } from './queue/submission.ts';
export type { SubmitAndWaitOptions, Submitting } from './queue/submit.ts';
export type { WaitForResult, WaitForResultOptions } from './queue/wait-options.ts';
export type { Redact } from './settle/stored-error.ts';
export { defineTask } from './task/define-task.ts';
export type { SchemaIssue, SchemaResult, StandardSchema } from './task/schema.ts';
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
