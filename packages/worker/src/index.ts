export type { Emitter, Trouble } from './emitter.ts';
export {
  CancelledError,
  LeaseLostError,
  PayloadError,
  RunFailedError,
  ShutdownError,
  StalledError,
} from './errors.ts';
export type { Queue, QueueEvents, QueueOptions, SubmitOptions, Submitted } from './queue/create-queue.ts';
export { createQueue } from './queue/create-queue.ts';
export type { DeadLetterFilter, DeadLetters, RedriveFilter } from './queue/dead-letters.ts';
export type { RunResult } from './queue/run-result.ts';
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
export type { SignalName, WorkerOptions } from './worker/options.ts';
