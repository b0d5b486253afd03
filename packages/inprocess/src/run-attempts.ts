import type { Policy, ServerDelay } from '@retry/core';
import { decide, readServerDelay } from '@retry/core';
import type { AttemptContext } from './attempt-context.ts';
import { Attempt } from './attempt-context.ts';
import { systemClock } from './clock.ts';
import { callHook } from './hooks.ts';
import type { RetryOptions, StopEvent } from './options.ts';
import { runAttempt } from './run-attempt.ts';
import { wait } from './wait.ts';

/** One call: what it was given and what has happened so far. */
interface Call {
  readonly policy: Policy;
  readonly options: RetryOptions;
  /** When the first attempt started; read only where a deadline counts from it. */
  readonly startedAt: number;
  previousError: unknown;
  previousDelayMs: number | undefined;
}

type End = Pick<StopEvent, 'reason' | 'thrown'>;

const ABORTED: End = { reason: 'aborted' };

/** A timer may fire late: the wait was to end before the deadline and did not. */
const LATE: End = { reason: 'deadline' };

/** The loop: attempt, decide, wait. Rejects with what the caller is to get. */
export async function runAttempts<T>(
  policy: Policy,
  fn: (context: AttemptContext) => T | PromiseLike<T>,
  options: RetryOptions,
): Promise<T> {
  const { signal, clock = systemClock } = options;
  const startedAt = policy.deadlineMs < Infinity ? clock.now() : 0;
  const call: Call = { policy, options, startedAt, previousError: undefined, previousDelayMs: undefined };

  for (let number = 1; ; number += 1) {
    const timeoutMs = timeForAttempt(call, number);
    const attempt = new Attempt(number, policy, call.previousError);
    try {
      const isFree = signal === undefined && timeoutMs === Infinity;
      return await (isFree
        ? fn(attempt)
        : runAttempt(() => fn(attempt), attempt, { clock, timeoutMs, signal }));
    } catch (error) {
      call.previousDelayMs = delayAfter(call, number, error);
      call.previousError = error;
    }
    await pause(call, number);
  }
}

/** How long the next attempt may take, `0 ≤ ms ≤ Infinity`; throws when it must not start. The first always may. */
function timeForAttempt(call: Call, number: number): number {
  const { policy, options, startedAt, previousError } = call;
  if (options.signal?.aborted) throw stop(call, number - 1, options.signal.reason, ABORTED);
  if (policy.deadlineMs === Infinity) return policy.attemptTimeoutMs;

  const { clock = systemClock } = options;
  const timeoutMs = Math.min(policy.attemptTimeoutMs, startedAt + policy.deadlineMs - clock.now());
  if (timeoutMs <= 0 && number > 1) throw stop(call, number - 1, previousError, LATE);
  return Math.max(timeoutMs, 0);
}

/** The delay before the next attempt; throws when there is none. */
function delayAfter(call: Call, attempt: number, error: unknown): number {
  const { policy, options, previousDelayMs } = call;
  const { signal, clock = systemClock, random = Math.random } = options;
  if (signal?.aborted) throw stop(call, attempt, signal.reason, ABORTED);

  const now = clock.now();
  const startedAt = policy.deadlineMs < Infinity ? call.startedAt : now;
  const failure = { error, serverDelay: hearServer(error, now) };
  const decision = decide(policy, { failures: attempt, previousDelayMs }, failure, {
    now,
    random,
    startedAt,
  });
  if (decision.type === 'fail') throw stop(call, attempt, error, decision);

  callHook(options.onRetry, { attempt, error, delayMs: decision.delayMs }, options);
  return decision.delayMs;
}

/** Waits before the next attempt; an abort ends the wait at once. */
async function pause(call: Call, attempt: number): Promise<void> {
  const { clock = systemClock, signal } = call.options;
  try {
    await wait(call.previousDelayMs ?? 0, clock, signal);
  } catch (reason) {
    throw stop(call, attempt, reason, ABORTED);
  }
}

/** Tells the hook that it is over; gives back what the caller is to get. */
function stop({ options }: Call, attempt: number, error: unknown, { reason, thrown }: End): unknown {
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
