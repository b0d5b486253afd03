import type { Duration, Policy, PolicyInput } from '@retry/core';
import type { StandardSchema } from './standard-schema.ts';

/** What happens to a running run when its worker shuts down: given back, stalled, or run to its end. */
export type ShutdownPolicy = 'resubmit' | 'stop' | 'continue';

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
  /** Milliseconds left of the attempt's timeout; `Infinity` without one. */
  readonly remainingMs: number;
  /** Says that the handler is alive. Needed only where the task has a `heartbeat` interval. */
  readonly heartbeat: () => void;
  /** Ends this attempt and asks for another, at a delay of your own. Never returns. */
  readonly retry: (request?: RetryRequest) => never;
  /**
   * Completes the run inside your own transaction, where the broker lives in your database: both commit or neither
   * does. The handler returns as usual after the commit. Rejects with a `LeaseLostError` when the run is no longer yours:
   * let that roll the transaction back.
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

/** When the handler wants its next attempt. Without either, the policy says. */
export interface RetryRequest {
  readonly delay?: Duration;
  /** Epoch milliseconds; `delay` wins. */
  readonly at?: number;
  /** What to record; also the final error when no attempt is left. */
  readonly error?: unknown;
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
  readonly version?: string;
  readonly run: Handler<Payload, Result>;
  /** Any Standard Schema; checked at submit and again at start. */
  readonly schema?: StandardSchema<Submitted, Payload>;
  /** When to retry. @default definePolicy() */
  readonly retry?: Policy | PolicyInput;
  /** When a limit is reached under `whenLimited: 'retry'`; has a counter of its own. @default definePolicy() */
  readonly rateLimitRetry?: Policy | PolicyInput;
  /** At most this many starts per window in this worker. */
  readonly rateLimit?: { readonly limit: number; readonly window: Duration };
  /** Longest time of one attempt; the policy's `attemptTimeout` by default. A timeout is an expected failure. */
  readonly timeout?: Duration;
  /** Longest silence of the handler. @default none: it is never stalled while its worker lives */
  readonly heartbeat?: Duration;
  /** At most this many at a time in one worker. @default the worker's own limit */
  readonly maxConcurrent?: number;
  /** At most this many at a time over all workers. */
  readonly globalConcurrency?: number;
  /** @default 'wait' */
  readonly whenLimited?: LimitPolicy;
  /** @default 'resubmit' */
  readonly onShutdown?: ShutdownPolicy;
  /** @default 'retry' */
  readonly onStall?: StallPolicy;
  /** Stalls before the run is given up. @default 3 */
  readonly maxStalls?: number;
  /** Whether failed runs are kept for redrive. @default 'save' */
  readonly deadLetter?: 'save' | 'none';
  /** Largest payload in bytes of JSON. @default 1 MiB */
  readonly maxPayloadBytes?: number;
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
  readonly whenLimited: LimitPolicy;
  readonly onShutdown: ShutdownPolicy;
  readonly onStall: StallPolicy;
  readonly maxStalls: number;
  readonly deadLetter: 'save' | 'none';
  readonly maxPayloadBytes: number;
}

/** A task whose payload and result somebody else knows. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tasks of different payloads has no narrower common type.
export type AnyTask = Task<any, any, any>;

/** A task that is submitted with this payload, whatever its handler gets and gives. */
// biome-ignore lint/suspicious/noExplicitAny: whoever submits does not care, and no type is both in and out
export type TaskFor<Submitted> = Task<any, any, Submitted>;
