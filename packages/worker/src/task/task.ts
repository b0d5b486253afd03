import type { Duration, Policy, PolicyInput } from '@retry/core';
import type { StandardSchema } from './standard-schema.ts';

/**
 * What happens to a running run when its worker stops. `finish`: its handler runs on for `shutdownTimeout`, then the run
 * is given back (not charged). `release`: it is given back immediately. `stall`: it is stalled (charged), as `onStall` says.
 */
export type ShutdownPolicy = 'finish' | 'release' | 'stall';

/** What happens to a stalled run: another attempt (charged), an end, or nothing. */
export type StallPolicy = 'retry' | 'fail' | 'hold';

/** What a run does that finds its concurrency or rate limit reached: stay in its lane, try later, or end. */
export type LimitPolicy = 'wait' | 'retry' | 'end';

/** What a handler is told about the attempt it is, and what it can ask for. */
export interface TaskContext {
  /** The run's id: the same in every attempt. */
  readonly id: string;
  /** Charged attempts so far and this one; counted from 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** The fencing token: put it into your own conditional writes. */
  readonly epoch: number;
  /** Aborts when the attempt is to stop; the reason says why (timeout, cancelled, shutdown, lease lost). */
  readonly signal: AbortSignal;
  /** Milliseconds left of the attempt's timeout or of the policy's total time, whichever ends first; `Infinity` without one. */
  readonly remainingMs: number;
  /** Says that the handler is alive. Needed only where the task has a `heartbeat` interval. */
  readonly heartbeat: () => void;
  /**
   * Ends this attempt and asks for another, at a delay of your own; charged like any failure. Beyond the last attempt, or the
   * policy's total time, the run fails with `error`. Never returns.
   *
   * @throws {InvalidOptionsError} when the request is wrong
   */
  readonly retry: (request?: RetryRequest) => never;
  /**
   * Completes the run inside your own transaction, where the broker lives in your database: both commit or neither
   * does. The handler returns as usual after the commit. From now on only the commit counts: when the handler returns
   * and the transaction was rolled back, the attempt has failed with a `NotCommittedError`. Rejects with a `LeaseLostError`
   * when the run is no longer yours: let that roll the transaction back.
   */
  readonly complete: (completion: Completion) => Promise<void>;
  /** A line for the worker's `log` event. */
  readonly log: (message: string, details?: unknown) => void;
}

/** How a handler completes its run by itself. */
export interface Completion {
  /** The client that began the transaction, or what stands for it. */
  readonly tx: unknown;
  /** Kept as the result of the run. */
  readonly result?: unknown;
}

/** When the handler wants its next attempt: after `delay`, or `at` an instant. Without either, the policy says. */
export interface RetryRequest {
  readonly delay?: Duration | undefined;
  /** Epoch milliseconds; `delay` wins. */
  readonly at?: number | undefined;
  /** What to record; also the final error when no attempt is left. */
  readonly error?: unknown;
  /** Executions in all, the first included, for this request; the policy's own otherwise. */
  readonly maxAttempts?: number | 'Infinity' | undefined;
}

/** The function of a task. */
export type Handler<Payload, Result> = (
  payload: Payload,
  context: TaskContext,
) => Result | PromiseLike<Result>;

/** A task as people write it. `Submitted` is what its schema takes, `Payload` what the schema makes of it. */
export interface TaskInput<Payload, Result, Submitted = Payload> {
  readonly name: string;
  /** Runs of different versions wait in different lanes. @default '1' */
  readonly version?: string | undefined;
  readonly run: Handler<Payload, Result>;
  /** Any Standard Schema; checked at submit and again at start. */
  readonly schema?: StandardSchema<Submitted, Payload> | undefined;
  /**
   * When to retry. What is written here is completed by the defaults of tasks (`TASK_POLICY`: 10 attempts from 1 s up to
   * 10 minutes); a policy that `definePolicy` made is taken as it is. @default TASK_POLICY
   */
  readonly retry?: Policy | PolicyInput | undefined;
  /** When a limit is reached under `whenFull: 'retry'`; has a counter of its own. @default TASK_POLICY */
  readonly rateLimitRetry?: Policy | PolicyInput | undefined;
  /** At most this many starts per window in this worker. */
  readonly rateLimit?: { readonly limit: number; readonly window: Duration } | undefined;
  /** Longest time of one attempt; the policy's `attemptTimeout` by default, and the same thing. */
  readonly timeout?: Duration | undefined;
  /** Longest silence of the handler. @default none: it is never stalled while its worker lives */
  readonly heartbeat?: Duration | undefined;
  /** At most this many at a time in one worker. @default the worker's own limit */
  readonly maxConcurrent?: number | undefined;
  /** At most this many at a time over all workers. */
  readonly globalConcurrency?: number | undefined;
  /** @default 'wait' */
  readonly whenFull?: LimitPolicy | undefined;
  /** @default 'finish' */
  readonly onShutdown?: ShutdownPolicy | undefined;
  /**
   * How long a stopping worker waits for handlers of this task (`onShutdown: 'finish'`); may be `'Infinity'`.
   * @default the worker's own `shutdownTimeout`
   */
  readonly shutdownTimeout?: Duration | undefined;
  /** @default 'retry' */
  readonly onStall?: StallPolicy | undefined;
  /**
   * What happens to runs of other versions of this task that no live worker knows: they wait, or are dropped by a worker
   * that knows this one. The worker's own `onUnknown` is about tasks of any name. @default 'wait'
   */
  readonly onUnknown?: 'wait' | 'drop' | undefined;
  /**
   * A run that a broker hands out before it is due is put back for as long as it has left, and at least for this. None of
   * our brokers does so. @default none: it starts
   */
  readonly minRequeueDelay?: Duration | undefined;
  /** Stalls before the run is given up. @default 3 */
  readonly maxStalls?: number | undefined;
  /** Whether failed runs are kept for redrive. @default 'save' */
  readonly deadLetter?: 'save' | 'none' | undefined;
  /** Largest payload in bytes of JSON. @default 1 MiB */
  readonly maxPayloadBytes?: number | undefined;
  /** Largest result in bytes of JSON; a larger one fails the attempt. @default 1 MiB */
  readonly maxResultBytes?: number | undefined;
}

/** A checked task with its defaults: it is submitted with `Submitted`, and its handler gets `Payload`. */
export interface Task<Payload, Result, Submitted = Payload> {
  readonly name: string;
  readonly version: string;
  /** `name@version`: the ready list its runs wait in. */
  readonly lane: string;
  readonly run: Handler<Payload, Result>;
  readonly schema: StandardSchema<Submitted, Payload> | undefined;
  readonly retry: Policy;
  readonly rateLimitRetry: Policy;
  readonly rateLimit: { readonly limit: number; readonly windowMs: number } | undefined;
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
  readonly maxConcurrent: number;
  readonly globalConcurrency: number;
  readonly whenFull: LimitPolicy;
  readonly onShutdown: ShutdownPolicy;
  /** `undefined`: the worker's own. */
  readonly shutdownMs: number | undefined;
  readonly onStall: StallPolicy;
  readonly onUnknown: 'wait' | 'drop';
  /** `undefined`: a run that comes early starts early. */
  readonly minRequeueMs: number | undefined;
  readonly maxStalls: number;
  readonly deadLetter: 'save' | 'none';
  readonly maxPayloadBytes: number;
  readonly maxResultBytes: number;
}

/** A task whose payload and result somebody else knows. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tasks of different payloads has no narrower common type.
export type AnyTask = Task<any, any, any>;

/** A task that is submitted with this payload and gives this result, whatever its handler gets. */
// biome-ignore lint/suspicious/noExplicitAny: whoever submits does not care, and no type is both in and out
export type TaskFor<Submitted, Result = any> = Task<any, Result, Submitted>;
