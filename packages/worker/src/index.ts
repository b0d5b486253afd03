export type { Queue, QueueOptions } from './create-queue.ts';
export { createQueue } from './create-queue.ts';
export type { Worker } from './create-worker.ts';
export { createWorker } from './create-worker.ts';
export type { ListenerError } from './emitter.ts';
export type { WorkerErrorCode } from './errors.ts';
export {
  CancelledError,
  LeaseLostError,
  NotCommittedError,
  PartlySubmittedError,
  PayloadError,
  ReleasesExhaustedError,
  RunFailedError,
  RunForgottenError,
  ShutdownError,
  StalledError,
  WaitTimeoutError,
} from './errors.ts';
export type { QueueEvents, RunNotice, WorkerEvents } from './events.ts';
export type { SignalName, WorkerOptions } from './options.ts';
export type { DeadLetterFilter, DiscardFilter, RedriveFilter } from './queue/operate/dead-letter-filter.ts';
export type { DeadLetters } from './queue/operate/dead-letters.ts';
export type { Holding, HoldOptions, HoldTarget } from './queue/operate/holds.ts';
export type { Operating, RescheduleOptions } from './queue/operate/operating.ts';
export type { ResubmitOptions } from './queue/operate/resubmit.ts';
export type { RunResult } from './queue/read-runs.ts';
export type { SubmitOptions, Submitted } from './queue/submission.ts';
export type { SubmitAndWaitOptions } from './queue/submit.ts';
export type { SubmitEachOptions, SubmitManyOptions } from './queue/submit-each.ts';
export type { UniqueOptions } from './queue/submit-options/submit-unique.ts';
export type { WaitForResultOptions } from './queue/wait-options.ts';
export type { Redact } from './settle/stored-error.ts';
export type { DeadLetter } from './task/dead-letter.ts';
export { defineTask } from './task/define-task.ts';
export type { StandardSchema } from './task/schema.ts';
export type {
  AnyTask,
  Completion,
  DeadLetterTask,
  GlobalRateLimit,
  Handler,
  HandlerHold,
  ReleaseRequest,
  RetryRequest,
  Task,
  TaskContext,
  TaskInput,
} from './task/task.ts';
export { taskFrom } from './task/task-from.ts';
