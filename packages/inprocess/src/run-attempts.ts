import type { Policy, ServerDelay } from '@retry/core';
import { decide, readServerDelay } from '@retry/core';
import type { AttemptContext } from './attempt-context.ts';
import { Attempt } from './attempt-context.ts';
import { systemClock } from './clock.ts';
import { callHook } from './hooks.ts';
import type { RetryOptions, StopEvent } from './options.ts';
import { runAttempt } from './run-attempt.ts';
import { wait } from './wait.ts';

/** What a function is retried by; the same for each of its calls. */
export interface Plan {
  readonly policy: Policy;
  readonly options: RetryOptions;
}

/** The latest failed attempt of a call, and the wait that followed it. */
interface Failed {
  /** Counted from 1; 0 is none. */
  readonly attempt: number;
  readonly error: unknown;
  readonly delayMs: number | undefined;
}

/** Shared by all calls: one that succeeds at once has nothing to remember. */
const NONE: Failed = { attempt: 0, error: undefined, delayMs: undefined };

type End = Pick<StopEvent, 'reason' | 'thrown'>;

const ABORTED: End = { reason: 'aborted' };

/** A timer may fire late: the wait was to end before the deadline and did not. */
const LATE: End = { reason: 'deadline' };

/** The loop: attempt, decide, wait. Rejects with what the caller is to get. */
export async function runAttempts<T>(
  plan: Plan,
  fn: (context: AttemptContext) => T | PromiseLike<T>,
): Promise<T> {
  const { policy, options } = plan;
  const { signal, clock = systemClock } = options;
  // Read only where a deadline counts from it.
  const startedAt = policy.deadlineMs < Infinity ? clock.now() : 0;

  for (let previous = NONE; ; ) {
    const timeoutMs = timeForAttempt(plan, startedAt, previous);
    const attempt = new Attempt(previous.attempt + 1, policy, previous.error);
    try {
      const isFree = signal === undefined && timeoutMs === Infinity;
      // A closure here would cost every attempt, also the free ones.
      return await (isFree ? fn(attempt) : runAttempt(fn, attempt, { clock, timeoutMs, signal }));
    } catch (error) {
      previous = afterFailure(plan, startedAt, previous, error);
    }
    try {
      await wait(previous.delayMs ?? 0, clock, signal);
    } catch (reason) {
      throw stop(options, previous.attempt, reason, ABORTED);
    }
  }
}

/** How long the next attempt may take, `0 ≤ ms ≤ Infinity`; throws when it must not start. The first always may. */
function timeForAttempt({ policy, options }: Plan, startedAt: number, previous: Failed): number {
  const { signal, clock = systemClock } = options;
  if (signal?.aborted) throw stop(options, previous.attempt, signal.reason, ABORTED);
  if (policy.deadlineMs === Infinity) return policy.attemptTimeoutMs;

  const timeoutMs = Math.min(policy.attemptTimeoutMs, startedAt + policy.deadlineMs - clock.now());
  if (timeoutMs <= 0 && previous.attempt > 0) throw stop(options, previous.attempt, previous.error, LATE);
  return Math.max(timeoutMs, 0);
}

/** What is to be remembered of a failure, with the delay before the next attempt; throws when there is none. */
function afterFailure(
  { policy, options }: Plan,
  startedAt: number,
  previous: Failed,
  error: unknown,
): Failed {
  const { signal, clock = systemClock, random = Math.random } = options;
  const attempt = previous.attempt + 1;
  if (signal?.aborted) throw stop(options, attempt, signal.reason, ABORTED);

  const now = clock.now();
  const counters = { failures: attempt, previousDelayMs: previous.delayMs };
  const failure = { error, serverDelay: hearServer(error, now) };
  const world = { now, random, startedAt: policy.deadlineMs < Infinity ? startedAt : now };
  const decision = decide(policy, counters, failure, world);
  if (decision.type === 'fail') throw stop(options, attempt, error, decision);

  const { delayMs } = decision;
  callHook(options.onRetry, { attempt, error, delayMs }, options);
  return { attempt, error, delayMs };
}

/** Tells the hook that it is over; gives back what the caller is to get. */
function stop(options: RetryOptions, attempt: number, error: unknown, { reason, thrown }: End): unknown {
  callHook(options.onStop, { attempt, error, reason, ...(thrown !== undefined && { thrown }) }, options);
  return error;
}

/** What the error says about when to come back; a getter that throws says nothing. */
function hearServer(error: unknown, now: number): ServerDelay | undefined {
  try {
    return readServerDelay(error, now);
  } catch {
    return undefined;
  }
}
