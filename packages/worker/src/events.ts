import type { FailReason } from '@retry/core';
import type { ErrorGroupName, GroupNotice, LaneDepth } from '@retry/core/broker';
import type { RunState } from '@retry/core/lifecycle';
import type { Emitter, ListenerError } from './emitter.ts';
import type { SignalName } from './options.ts';

/** What every event about a run carries. */
export interface RunNotice {
  /** The run's id: the same in every attempt. */
  readonly id: string;
  /** The task's name. */
  readonly task: string;
  /** The task's version. */
  readonly version: string;
  /** Charged attempts so far and this one; counted from 1. */
  readonly attempt: number;
  /** Number of claims so far: the fencing token. */
  readonly epoch: number;
}

/**
 * Why a run started later than it was due; the obstacle that was removed last counts.
 *
 * - `no-slot`: this worker had no free slot for the task, or had not started yet
 * - `rate-limit`: the task's rate limit was reached
 * - `concurrency-key`: other runs of its concurrency key used all of the key's slots
 * - `hold`: a claim of its lane returned no runs although it was due: the lane was on hold, or it was submitted in a transaction that
 *   committed late
 * - `retry-share`: it is a retry, and new runs came before it by the `retryShare` of its task
 * - `poll`: no other cause; the next poll, or wake signal, found it
 */
export type LateCause = 'no-slot' | 'rate-limit' | 'concurrency-key' | 'hold' | 'retry-share' | 'poll';

/** Events of a worker and their payloads. */
export interface WorkerEvents {
  /** A handler is called. `latenessMs` is the time since the run was due; `lateBecause` is present when that is more than 0. */
  readonly started: RunNotice & { readonly latenessMs: number; readonly lateBecause?: LateCause };
  /** `durationMs` is the time in the handler, `retries` the number of charged attempts before this one. */
  readonly completed: RunNotice & { readonly durationMs: number; readonly retries: number };
  /** The attempt failed and another one follows after `delayMs`. `reason`: `expected` by the policy, or `asked` by `ctx.retry`. */
  readonly retried: RunNotice & {
    /** What the attempt threw, or its timeout; by `ctx.retry`, the error that it was given, else one that says that it asked. */
    readonly error: unknown;
    /** Milliseconds until the next attempt at the earliest; 0: it may start now. */
    readonly delayMs: number;
    /** `expected` by the policy, or `asked` by the handler. */
    readonly reason: 'expected' | 'asked';
    /** Present where the delay is the one that a server asked for, and not the policy's own. */
    readonly askedBy?: 'server';
  };
  /** The run failed for good. */
  readonly failed: RunNotice & {
    /** What the last attempt threw, or why it ended otherwise. */
    readonly error: unknown;
    /** A reason of the policy; `unreadable`: the payload is wrong, or what it costs; `refused`: the broker refused the outcome, and `error` says why. */
    readonly reason: FailReason | 'unreadable' | 'stalled' | 'asked' | 'refused' | 'releases-exhausted';
    /** What a gate, predicate or strategy of the policy threw, for which the retrying ended. It is an `error` event, too. */
    readonly thrown?: unknown;
    /** Present where the run is no dead letter: retention may delete it, as its task has `deadLetter: 'none'`. */
    readonly isDisposable?: true;
  };
  /** The worker, or the handler, stopped sending heartbeats. `next` is the state that the run has now. */
  readonly stalled: RunNotice & { readonly error: unknown; readonly next: RunState };
  /**
   * The run was given back, uncharged: to wait for `delayMs`, if that is present. `reason` is what its handler said, or that it
   * was a probe of the circuit breaker; absent when the worker gave it back for a reason of its own.
   */
  readonly released: RunNotice & { readonly delayMs?: number; readonly reason?: string };
  /** The run was cancelled after this worker had seen a cancel request; what its handler still returns has no effect. */
  readonly cancelled: RunNotice;
  /** A concurrency or rate limit was reached. `next` is the state that the run has now. */
  readonly limited: RunNotice & { readonly next: RunState };
  /**
   * The circuit breaker of a task's lane. `open`: this worker has put the lane on hold, and `reason` says why. `half-open`: it has
   * claimed a run as a probe. `closed`: the probe has succeeded, and this worker has ended the hold.
   */
  readonly breaker: {
    /** The task's name. */
    readonly task: string;
    /** The task's version. */
    readonly version: string;
    /** The state from now on. */
    readonly state: 'open' | 'half-open' | 'closed';
    /** Present with `open`. */
    readonly reason?: string;
  };
  /** The run was dropped because this worker does not know its lane (`onUnknown: 'drop'`). */
  readonly dropped: { readonly id: string; readonly lane: string };
  /** Runs wait in these lanes and no live worker works on them. Emitted once for each change. */
  readonly unattended: { readonly lanes: readonly LaneDepth[] };
  /**
   * An error group of dead letters is `new`, or has `doubled` since its latest event. Of all workers that listen, one emits it, at
   * most 5 s after the dead letters came, or when it stops. `count` is how many the group has now, and `sampleId` the run that ended
   * last.
   */
  readonly deadLetterGroup: Omit<GroupNotice, keyof ErrorGroupName> & {
    /** Which error group, by its id; the title is for people. */
    readonly group: ErrorGroupName;
    /** The name of the task whose lane has it. */
    readonly task: string;
    /** The version of that task. */
    readonly version: string;
  };
  /**
   * The handler was stopped, and has not returned for `abandonAfter` since: it is still running, and from now on counts in no limit.
   * `error` is the reason of its signal, `durationMs` the time since it was called.
   */
  readonly abandoned: RunNotice & { readonly error: unknown; readonly durationMs: number };
  /** An abandoned handler has returned, or thrown `error`. That changes nothing. */
  readonly returnedLate: RunNotice & { readonly durationMs: number; readonly error?: unknown };
  /** The outcome was not accepted: another worker holds the run (`fenced`), or it no longer exists (`gone`). */
  readonly fenced: RunNotice & { readonly answer: 'fenced' | 'gone' };
  /**
   * The event loop did not turn for `blockedMs`, a third of the lease at least: a handler computed for that long without `await`,
   * or the process was stopped. `runs` are those that were running.
   */
  readonly blocked: { readonly blockedMs: number; readonly runs: readonly RunNotice[] };
  /** A handler called `ctx.log`. */
  readonly log: RunNotice & { readonly message: string; readonly details: unknown };
  /** The worker has stopped and everything is settled; `signal` is present when a signal stopped it. */
  readonly stopped: { readonly signal?: SignalName };
  /** The broker failed, or a listener threw; `doing` says during what. The worker keeps running and no run is lost. */
  readonly error: ListenerError;
}

/** Every event of a worker. */
export const WORKER_EVENTS: Readonly<Record<keyof WorkerEvents, true>> = {
  started: true,
  completed: true,
  retried: true,
  failed: true,
  stalled: true,
  released: true,
  cancelled: true,
  limited: true,
  breaker: true,
  dropped: true,
  unattended: true,
  deadLetterGroup: true,
  abandoned: true,
  returnedLate: true,
  fenced: true,
  blocked: true,
  log: true,
  stopped: true,
  error: true,
};

/** The emitter of a worker; also publishes on `node:diagnostics_channel` as `retry:worker:<event>`. */
export type WorkerEmitter = Emitter<WorkerEvents>;

/** Events of a queue and their payloads. */
export interface QueueEvents {
  /** A new run was submitted. Not emitted for a key that was known already. */
  readonly submitted: { readonly id: string; readonly task: string; readonly version: string };
  /** A listener threw, or the broker could not be asked for awaited results; the queue asks again. */
  readonly error: ListenerError;
}

/** Every event of a queue. */
export const QUEUE_EVENTS: Readonly<Record<keyof QueueEvents, true>> = { submitted: true, error: true };
