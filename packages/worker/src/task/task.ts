import type { Duration, Policy, PolicyInput } from '@retry/core';
import { isPolicy } from '@retry/core';
import type { RetryBudget } from '@retry/core/budget';
import type { CircuitBreakerInput, CircuitBreakerSettings } from '@retry/core/circuit-breaker';
import { isList, type Report } from '@retry/core/fields';
import type { DeadLetter } from './dead-letter.ts';
import type { StoredPayload } from './json.ts';
import type { StandardSchema } from './schema.ts';
import type { TaskContext } from './task-context.ts';

/**
 * What happens to a running handler when its worker stops. `finish`: it runs on for `shutdownTimeout`, then its run is
 * given back (uncharged). `release`: the run is given back immediately. `stall`: the run is stalled (charged) and follows
 * `onStall`. What a handler finishes although it was stopped counts.
 */
export type ShutdownPolicy = 'finish' | 'release' | 'stall';

/** What follows when a run stalls: another attempt (charged), the end as `failed`, or nothing until an operator acts. */
export type StallPolicy = 'retry' | 'fail' | 'hold';

/** What happens to a run whose concurrency or rate limit is reached: it waits in its lane, is retried later, or ends. */
export type LimitPolicy = 'wait' | 'retry' | 'end';

/** The option `globalRateLimit` of a task whose payload is stored as this. */
export interface GlobalRateLimit<Payload = never> {
  /** How many starts, or how much they may cost together; an integer, `1 ≤ limit ≤ 1e9`. */
  readonly limit: number;
  /** 1 ms to 366 days; fractions of a millisecond are rounded up. */
  readonly window: Duration;
  /** What the limit is about, such as the service that is called; 1 to 512 bytes. @default the task's name, of all its versions */
  readonly key?: string | undefined;
  /**
   * What the start of a run counts as, such as tokens, bytes or cents: a number > 0, rounded up. It gets the payload as it was stored,
   * before the schema reads it. A run whose cost is none, or above the limit, fails with a `CostError`. `ctx.spend`
   * corrects it.
   * @default 1
   */
  readonly cost?: PayloadReader<Payload, number> | undefined;
}

/**
 * A function that gets a payload as it was stored. It knows the type of the payload from a schema, or from a `run` that stands before it or
 * has no parameter without a type; otherwise, or where a schema takes `unknown`, it has to write that type.
 */
export type PayloadReader<Payload, Answer> = {
  // A method, whose parameter may be of a narrower type: of an unknown payload the function says what it is.
  read(payload: Payload): Answer;
}['read'];

/** A limit of starts that all workers share. */
export interface StartLimit {
  readonly key: string;
  readonly limit: number;
  readonly windowMs: number;
  /** What the start of a run with this payload counts as; `undefined`: 1. */
  readonly cost?: ((payload: never) => unknown) | undefined;
}

/** The function of a task. */
export type Handler<Payload, Result> = (
  payload: Payload,
  context: TaskContext,
) => Result | PromiseLike<Result>;

/** The options of `defineTask`. `Submitted` is what its schema accepts, `Payload` what the schema returns. */
export interface TaskInput<Payload, Result, Submitted = Payload> {
  /** Text without `@`. */
  readonly name: string;
  /** Each version has a lane of its own. Text without `@`. @default '1' */
  readonly version?: string | undefined;
  readonly run: Handler<Payload, Result>;
  /** Any Standard Schema; the payload is validated at submit and again before the handler is called. */
  readonly schema?: StandardSchema<Submitted, Payload> | undefined;
  /**
   * When to retry; its `attemptTimeout` bounds the handler. Options written here are completed by the defaults of tasks
   * (`TASK_POLICY`: 10 attempts from 1 s up to 10 minutes); a policy that `definePolicy` made is used unchanged.
   * @default TASK_POLICY
   */
  readonly retry?: Policy | PolicyInput | undefined;
  /**
   * Puts the lane on hold for all workers when too many attempts fail, instead of using up the attempts of every run, and lets
   * one run at a time through until one succeeds. A failure is an error that `retry` expects, or a timeout. Every key has a
   * default: `{}` is a circuit breaker. @default none
   */
  readonly circuitBreaker?: CircuitBreakerInput | undefined;
  /**
   * Limits the retries of all runs, and calls, that share it: `createSharedBudget` of `@retry/inprocess` for all workers together,
   * `createRetryBudget` for those of one process. A retry pays when its attempt has failed, before it waits; while the budget is empty, a
   * failed attempt ends its run (`budget`), and `deadLetter` says whether that is kept. What needs no token: stalls, runs that are given
   * back, probes of the circuit breaker, retries of `rateLimitRetry`, and redrives. @default none
   */
  readonly budget?: RetryBudget | undefined;
  /**
   * New runs before retries: while new runs of the task wait, at most this share of its starts in each worker are retries, `0 < share ≤ 1`.
   * Where nothing else waits, retries take whatever is free. Also runs that were submitted with a delay come when retries may.
   * @default 1: retries wait in line with new runs
   */
  readonly retryShare?: number | undefined;
  /** When to try again after a limit was reached; implies `whenFull: 'retry'`, and has its own counter. @default TASK_POLICY */
  readonly rateLimitRetry?: Policy | PolicyInput | undefined;
  /** At most `limit` starts per `window` in each worker. @default no limit */
  readonly rateLimit?: { readonly limit: number; readonly window: Duration } | undefined;
  /**
   * At most `limit` starts per `window` over all workers, counted by the broker: in no window, wherever it begins, are there more. Over
   * a long time it may be up to about 3 % fewer. Tasks with the same key, limit and window share one limit. With `cost`, a start counts
   * as that many.
   * @default no limit
   */
  readonly globalRateLimit?: GlobalRateLimit<NoInfer<StoredPayload<Submitted>>> | undefined;
  /**
   * Adapts to what servers answer: an attempt that fails with an error that says how long to wait (a 429 with `Retry-After`, or with a limit
   * of which nothing remains) puts the lane on hold for all workers until then, at most for `retryAfter.max` of the policy and an hour.
   * What `retryAfter` ignores holds nothing. @default false: only the run itself waits
   */
  readonly adapt?: boolean | undefined;
  /** Longest time without `ctx.heartbeat()` before the attempt is stalled. @default none: a handler needs no heartbeats */
  readonly heartbeat?: Duration | undefined;
  /** How many run at the same time in each worker, at most. @default the worker's own limit */
  readonly maxConcurrent?: number | undefined;
  /**
   * How many run at the same time over all workers, at most, those aside that were submitted with a `concurrency` of their own. The
   * number of the worker that claims a run counts, whatever the task said where the run was submitted. @default no limit
   */
  readonly globalConcurrency?: number | undefined;
  /**
   * Whose run it is, such as the id of a tenant: text of 1 to 512 bytes, or `undefined` for none. Keys take turns in the lane: a key with a
   * million runs that wait delays one with ten by one start each. It gets the payload as it is stored, before the schema reads it. It
   * is asked where a run is submitted, which rejects with a `FairnessKeyError` if it throws or answers anything else.
   * @default none: runs start in the order in which they came
   */
  readonly fairness?: PayloadReader<NoInfer<StoredPayload<Submitted>>, string | undefined> | undefined;
  /** What happens to a run whose concurrency or rate limit is reached. @default 'wait'; with `rateLimitRetry`, 'retry' */
  readonly whenFull?: LimitPolicy | undefined;
  /** What happens to running handlers when their worker stops. @default 'finish' */
  readonly onShutdown?: ShutdownPolicy | undefined;
  /**
   * How long a stopping worker waits for handlers of this task (`onShutdown: 'finish'`); may be `'Infinity'`.
   * @default the worker's own `shutdownTimeout`
   */
  readonly shutdownTimeout?: Duration | undefined;
  /**
   * How long a handler that was stopped may take to return; until then it counts in every limit, and its run is not settled. After
   * it the worker abandons the handler; may be `'Infinity'`.
   * @default the worker's own `abandonAfter`
   */
  readonly abandonAfter?: Duration | undefined;
  /**
   * What follows when a run stalls, whatever `idempotent` of its policy says: what it did before may have been applied. @default 'retry'
   */
  readonly onStall?: StallPolicy | undefined;
  /**
   * What happens to runs of other versions of this task that no live worker knows: they wait, or a worker that knows this
   * version drops them. The worker's own `onUnknown` is about tasks of any name. @default 'wait'
   */
  readonly onUnknown?: 'wait' | 'drop' | undefined;
  /**
   * A run that a broker returns before it is due is put back until it is due, and at least for this long. Our own brokers
   * never do so. @default none: it starts
   */
  readonly minRequeueDelay?: Duration | undefined;
  /** How many stalls a run may have; the next one fails it. @default 3 */
  readonly maxStalls?: number | undefined;
  /**
   * How often a run may have been given back uncharged, since its submission or its latest redrive, when its handler calls
   * `ctx.release`; from then on that call fails the run. Every such return counts: releases by handlers and at a shutdown, of runs
   * that were claimed in advance or beyond a limit, and of probes of the circuit breaker. 0: `ctx.release` always fails the run.
   * @default 100
   */
  readonly maxReleases?: number | undefined;
  /**
   * Whether failed runs are kept as dead letters, to be redriven. `{ task }`: they are, and in the same move that ends such a run, a run
   * of that task is submitted with a `DeadLetter` as its payload; so it is for a run that stalls for good (`onStall: 'hold'`) or ends at
   * a rate limit. A run that is redriven and dies again submits another one. `queue.fail` submits none. @default 'save'
   */
  readonly deadLetter?: 'save' | 'none' | { readonly task: DeadLetterTask<NoInfer<Submitted>> } | undefined;
  /** Largest payload in bytes of JSON. @default 1 MiB */
  readonly maxPayloadBytes?: number | undefined;
  /** Largest result in bytes of JSON; a larger one fails the attempt. @default 1 MiB */
  readonly maxResultBytes?: number | undefined;
}

/** A task of `defineTask`, with its defaults: submitted with `Submitted`, and its handler receives `Payload`. */
export interface Task<Payload, Result, Submitted = Payload> {
  /** The task's name, without its version. */
  readonly name: string;
  /** `'1'` unless it was given. */
  readonly version: string;
  /** `name@version`: the ready list in which its runs wait. */
  readonly lane: string;
  /** The handler. */
  readonly run: Handler<Payload, Result>;
  /** Validates payloads at submit and before the handler. */
  readonly schema: StandardSchema<Submitted, Payload> | undefined;
  /** When to retry; its `attemptTimeoutMs` bounds the handler. */
  readonly retry: Policy;
  /** `undefined`: none. */
  readonly circuitBreaker: CircuitBreakerSettings | undefined;
  /** What pays for retries; `undefined`: they are free. */
  readonly budget: RetryBudget | undefined;
  /** The share of starts that retries have while new runs wait, `0 < share ≤ 1`. */
  readonly retryShare: number;
  /** When to try again after a limit was reached, with `whenFull: 'retry'`. */
  readonly rateLimitRetry: Policy;
  /** The most starts per window in each worker; `undefined`: no limit. */
  readonly rateLimit: { readonly limit: number; readonly windowMs: number } | undefined;
  /** The most starts per window over all workers; `undefined`: no limit. */
  readonly globalRateLimit: StartLimit | undefined;
  /** Whether a server's delay holds the lane. */
  readonly adapt: boolean;
  /** Longest time without `ctx.heartbeat()`; `Infinity`: none is needed. */
  readonly heartbeatMs: number;
  /** How many run at the same time in each worker, at most; may be `Infinity`. */
  readonly maxConcurrent: number;
  /** How many run at the same time over all workers, at most; may be `Infinity`. */
  readonly globalConcurrency: number;
  /** Whose run a payload is; `undefined`: runs start in the order in which they came. */
  readonly fairness: ((payload: never) => unknown) | undefined;
  /** What happens to a run whose limit is reached. */
  readonly whenFull: LimitPolicy;
  /** What happens to running handlers when their worker stops. */
  readonly onShutdown: ShutdownPolicy;
  /** `undefined`: the worker's own. */
  readonly shutdownMs: number | undefined;
  /** `undefined`: the worker's own. */
  readonly abandonMs: number | undefined;
  /** What follows when a run stalls. */
  readonly onStall: StallPolicy;
  /** What happens to runs of versions that no live worker knows. */
  readonly onUnknown: 'wait' | 'drop';
  /** `undefined`: a run that is returned before it is due starts early. */
  readonly minRequeueMs: number | undefined;
  /** How many stalls a run may have; the next one fails it. */
  readonly maxStalls: number;
  /** How often a run may have been given back when `ctx.release` is called. */
  readonly maxReleases: number;
  /** Whether failed runs are kept, and the task that takes them. */
  readonly deadLetter: 'save' | 'none' | { readonly task: AnyTask };
  /** The largest payload, in bytes of JSON. */
  readonly maxPayloadBytes: number;
  /** The largest result, in bytes of JSON. */
  readonly maxResultBytes: number;
}

/** Any task, whatever its payload and result. */
// biome-ignore lint/suspicious/noExplicitAny: a list of tasks of different payloads has no narrower common type.
export type AnyTask = Task<any, any, any>;

/**
 * A task whose handler takes the dead letters of runs that were submitted with `Submitted`. Where that is unknown, or nothing, the
 * handler says which payload they have.
 */
export type DeadLetterTask<Submitted = unknown> = AnyTask & {
  readonly run: Handler<
    DeadLetter<IsNothing<Submitted> extends true ? never : StoredPayload<Submitted>>,
    unknown
  >;
};

/** A task that is submitted with this payload and has this result, whatever its handler receives. */
// biome-ignore lint/suspicious/noExplicitAny: a submitter does not depend on the handler's payload, which has no type that is both in and out
export type TaskFor<Submitted, Result = any> = Task<any, Result, Submitted>;

/** The payload of a task whose handler has no parameters: it is left out, and stored as `null`. */
// biome-ignore lint/suspicious/noConfusingVoidType: it may be left out
export type NoPayload = void | null;

/** Whether a payload says nothing, or may: then it may be left out, and is stored as `null`. */
export type IsNothing<Payload> = unknown extends Payload
  ? true
  : [Payload] extends [NoPayload]
    ? true
    : false;

/** Whether a value is a task of `defineTask`, made by any copy of the package. */
export function isTask(value: unknown): value is AnyTask {
  if (typeof value !== 'object' || value === null) return false;
  try {
    const { name, version, lane, run, retry }: Partial<AnyTask> = value;
    const isNamed = [name, version, lane].every((text) => typeof text === 'string');
    return isNamed && typeof run === 'function' && isPolicy(retry);
  } catch {
    return false; // a getter or a Proxy that throws
  }
}

/** Reports a value that is not a task. */
export function checkTask(task: unknown, report: Report): void {
  if (isTask(task)) return;
  const cure = isList(task)
    ? 'Use submitMany(task, payloads), a call for each task.'
    : "Use the task itself, made by defineTask({ name: 'send-email', run }).";
  report({ path: 'task', value: task, message: 'must be a task', cure });
}
