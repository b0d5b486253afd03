import { RetryError, TotalTimeoutError } from '@retry/core';
import type { AttemptLimit, CallView } from './attempt.ts';
import type { Call } from './call.ts';
import type { Ending, GiveUpReason } from './options.ts';
import type { Failure } from './weigh-failure.ts';

/** What has a whole time. */
type Timed = Pick<CallView, 'plan' | 'startedAt'>;

/** Milliseconds until the whole time of a call is over, `0 ≤ ms ≤ Infinity`. */
export function timeLeft({ plan, startedAt }: Timed, now: number): number {
  const { policy, deadlineAt } = plan;
  const endsAt = policy.totalTimeoutMs === Infinity ? Infinity : startedAt + policy.totalTimeoutMs;
  return Math.max(Math.min(endsAt, deadlineAt) - now, 0);
}

/** When the next attempt starts, and how long it may take: its own timeout, or what is left of the whole time. */
export function limitOf(call: Call): AttemptLimit & StartOf {
  const { plan, isTimed } = call;
  const { attemptTimeoutMs } = plan.policy;
  if (!isTimed && attemptTimeoutMs === Infinity && plan.deadlineAt === Infinity) return NO_LIMIT;
  const startedAt = plan.clock.now();
  const leftMs = timeLeft(call, startedAt);
  const isTotal = leftMs <= attemptTimeoutMs && leftMs < Infinity;
  if (!isTotal) return { startedAt, timeoutMs: attemptTimeoutMs, totalMs: undefined };
  return { startedAt, timeoutMs: leftMs, totalMs: totalOf(call) };
}

interface StartOf {
  /** Epoch milliseconds; `NaN` when nothing asks for it. */
  readonly startedAt: number;
}

const NO_LIMIT = { startedAt: Number.NaN, timeoutMs: Infinity, totalMs: undefined };

/** The whole time of a call: its policy's, or what the attempt around it had left. */
export function totalOf({ plan, startedAt }: Timed): number {
  const { policy, deadlineAt } = plan;
  const isOwn = policy.totalTimeoutMs < Infinity && startedAt + policy.totalTimeoutMs <= deadlineAt;
  return isOwn ? policy.totalTimeoutMs : Math.max(Math.round(deadlineAt - startedAt), 0);
}

/** Why no further attempt may start. */
export function findObstacle(call: Call, leftMs: number): GiveUpReason | undefined {
  const { plan, begun, options } = call;
  if (plan.signal?.aborted) return 'aborted';
  // The first always may start, unless it was waited for.
  if (begun === 0 && !(plan.policy.initialDelayMs > 0)) return undefined;
  if (options.group?.isDraining) return 'group';
  // A timer may fire late: the wait was to end before the deadline and did not.
  return leftMs <= 0 ? 'total-timeout' : undefined;
}

/** How a call ends whose next attempt may not start: with what the attempt before came to. */
export function endingBy(reason: GiveUpReason, call: Call): Ending {
  return { ...lastFailure(reason, call), attempt: call.begun, reason };
}

function lastFailure(reason: GiveUpReason, call: Call): Failure {
  const { plan, refused, latest } = call;
  if (reason === 'aborted') return { error: plan.signal?.reason };
  if (refused !== undefined) return refused;
  if (latest !== undefined) return { error: latest.error };
  // The wait before the first attempt ended it: there is no error of the user's.
  const drained = 'the group is draining: the first attempt was not made';
  if (reason === 'group') return { error: new RetryError('SHUTDOWN', drained) };
  return { error: new TotalTimeoutError(totalOf(call), 1) };
}
