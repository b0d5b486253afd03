import type { Counts, Place } from '../queues/contender.ts';

/** How runs get into a queue. */
export interface Submission {
  readonly count: number;
  /** Bytes of the payload beside its number; 0 is a small object. */
  readonly bytes: number;
  /** One by one in this number of loops at the same time, or by bulk calls. */
  readonly way: number | 'bulk';
  /** @default now */
  readonly dueAt?: number;
  /** @default 1 */
  readonly tasks?: number;
  /** @default 0 */
  readonly failures?: number;
}

/** How runs are worked off. */
export interface Job {
  readonly count: number;
  readonly concurrency: number;
  readonly handlerMs: number;
  readonly failures: number;
  readonly tasks: number;
}

/** What one worker process saw. All instants are of the machine's monotonic clock, in milliseconds. */
export interface Finished {
  readonly startedAt: number;
  /** The latest acknowledgement. */
  readonly lastAt: number;
  /** Milliseconds of processor time, from the start to the end of all. */
  readonly cpuMs: number;
  /** How often each run was executed. */
  readonly executed: Uint8Array;
  /** Milliseconds from submission to start, where the submission noted its instant. */
  readonly waits: readonly number[];
}

/** What a process does that runs one contender. */
export interface Actor {
  open: (contender: string, place: Place) => Promise<void>;
  /** Returns milliseconds. */
  submit: (submission: Submission) => Promise<{ ms: number; cpuMs: number }>;
  /** Submits `count` runs, one every `everyMs` milliseconds, with the instant. */
  trickle: (count: number, everyMs: number) => Promise<void>;
  start: (job: Job) => Promise<void>;
  /** How many runs are done. */
  done: () => Promise<number>;
  /** Resolves when nothing is left, with the instant that the successful question was asked. */
  untilSettled: () => Promise<number | undefined>;
  finish: () => Promise<Finished>;
  count: () => Promise<Counts>;
  /** Milliseconds of `calls` pages and of as many counts, and the longest block of the event loop meanwhile. */
  look: (start: number, calls: number) => Promise<{ listMs: number; countMs: number; blockedMs: number }>;
  close: () => Promise<void>;
}

/** A question to an actor. */
export interface Request {
  readonly id: number;
  readonly verb: keyof Actor;
  readonly args: readonly unknown[];
}

/** Its answer. */
export type Response =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };
