import type { DecisionContext, FailReason } from '@retry/core';
import { MAX_INSTANT_AT } from '@retry/core';
import type { Run, Settlement } from '@retry/core/broker';
import { chargedAttempts, transitionRun } from '@retry/core/broker/kit';
import { settingsOf } from '@retry/core/fields';
import type { RunEvent, RunState } from '@retry/core/lifecycle';
import { isEnd } from '@retry/core/lifecycle';
import type { AnyTask } from '../task/task.ts';
import type { Outcome } from './outcome.ts';
import type { AttemptFacts } from './stored-error.ts';

/** What a settlement depends on besides the run and its outcome; strategies and gates may read `attemptMs`. */
export interface SettleContext extends AttemptFacts {
  readonly random: () => number;
  /** Whether the run was let through by a hold of the circuit breaker: a failure is not charged. @default false */
  readonly isProbe?: boolean | undefined;
  /** The retry budget of its task, which counts the failure; absent where a retry needs none. */
  readonly budget?: DecisionContext['budget'];
  /** Whether its handler was called. @default true */
  readonly wasCalled?: boolean | undefined;
  /** How long it waited in the worker for that. @default 0 */
  readonly waitedMs?: number | undefined;
}

/** The settlement of an attempt, and the reason for it. */
export interface Settled {
  readonly settlement: Settlement;
  readonly reason?: FailReason | 'asked' | 'stalled' | 'unreadable' | 'refused' | 'releases-exhausted';
  readonly delayMs?: number;
  /** Who asked for the delay, if not the policy. */
  readonly askedBy?: 'server';
  /** What it failed with, where its outcome has no error: a release that is not possible any more. */
  readonly error?: unknown;
  /** What a gate, predicate or strategy of the policy threw, for which it failed. */
  readonly thrown?: unknown;
  /** Why it was given back, for people. */
  readonly releasedBecause?: string;
}

/** What follows from an outcome: from that of the attempt, or of an error that stands for one that cannot be read. */
export interface Decided {
  readonly settled: Settled;
  readonly outcome: Outcome;
}

/** What a settlement writes besides the transitions. */
interface Extras {
  /** The result of a run that completes, as JSON text. */
  readonly result?: string;
  /** How long a run has to wait by the broker's own clock, in ms, whatever `runAt` its event has; 0: it need not. */
  readonly delayMs?: number;
  /** Whether the run is kept if it is failed now. @default 'save' */
  readonly deadLetter?: AnyTask['deadLetter'];
  /** Whether its handler was called: the total time of a run that waits again without a start has not begun. @default true */
  readonly wasCalled?: boolean | undefined;
}

/** Returns the settlement that applies these events to a claimed run in one write. The first event names it. */
export function settle(
  run: Run<'started'>,
  events: readonly RunEvent[],
  { result, delayMs = 0, deadLetter = 'save', wasCalled = true }: Extras = {},
): Settlement {
  // Every event returns a new copy, so this one may be changed.
  let moved: Run = run;
  for (const event of events) moved = move(moved, event);
  const next: { -readonly [Key in keyof Run]: Run[Key] } = moved;
  if (result !== undefined) next.result = result;
  if (!wasCalled && !isEnd(next.state) && isFirstStart(run)) next.firstStartedAt = undefined;
  // The task's present option counts. A stalled run is always kept, because it is not known how far it came.
  next.isDisposable = (deadLetter === 'none' && next.state === 'failed') || undefined;
  const { id, epoch } = run;
  const event = events[0]?.type ?? 'release';
  // Literals, because every run has a settlement, and a spread makes a copy.
  return delayMs > 0 ? { id, epoch, event, next, delayMs } : { id, epoch, event, next };
}

/** An attempt that was settled. */
interface SettledAttempt {
  readonly task: AnyTask;
  readonly run: Run<'started'>;
  /** How long it waited in the worker until its handler was called. @default 0 */
  readonly waitedMs?: number | undefined;
}

/**
 * Returns the settlement of a run that waits for another attempt: its first start, at all or since it was redriven, is the first call
 * of its handler, from which the total time counts. Without a limit of that it stays the claim.
 */
export function withFirstCall(settled: Settled, { task, run, waitedMs = 0 }: SettledAttempt): Settled {
  const { settlement } = settled;
  const { startedAt } = run;
  const { state, firstStartedAt } = settlement.next;
  // One without a first start was given back before its handler was called.
  if (startedAt === undefined || firstStartedAt === undefined || isEnd(state)) return settled;
  const calledAt = startedAt + Math.floor(waitedMs);
  if (!isFirstStart(run) || calledAt === firstStartedAt) return settled;
  if (settingsOf(task.retry).totalTimeoutMs === Infinity) return settled;
  return {
    ...settled,
    settlement: { ...settlement, next: { ...settlement.next, firstStartedAt: calledAt } },
  };
}

function move(run: Run, event: RunEvent): Run {
  const moved = transitionRun<RunState, RunEvent>(run, event);
  // A started run accepts every event that the worker creates; a rejection is a bug in this package.
  if (moved.type === 'rejected') throw new TypeError(`a ${moved.from} run rejects ${moved.event}`);
  return moved.run;
}

/** Returns what a function of the policy threw, if it did: that may be `undefined`. */
export function thrownIn(decided: { readonly thrown?: unknown }): Pick<Settled, 'thrown'> {
  return 'thrown' in decided ? { thrown: decided.thrown } : {};
}

/** Returns the instant `delayMs` from now in whole milliseconds, never early; exactly `now` without a delay. */
export function instantIn(delayMs: number, now: number): number {
  return delayMs === 0 ? now : Math.min(Math.ceil(now + delayMs), MAX_INSTANT_AT);
}

/** Returns what core's `decide` needs besides policy, counters and failure. */
export function decisionContext(
  run: Run<'started'>,
  { now, random, attemptMs, waitedMs, budget }: SettleContext,
): Pick<DecisionContext, 'now' | 'random' | 'startedAt' | 'attemptMs' | 'id' | 'lane' | 'budget'> {
  const { id, lane } = run;
  return { now, random, attemptMs, startedAt: totalStartAt(run, now, waitedMs), id, lane, budget };
}

/** The number of the run's current attempt: charged attempts so far and the running one; counted from 1. */
export function attemptOf(run: Run): number {
  return chargedAttempts(run) + 1;
}

/** How long after it was due the claimed run was started, in ms of the broker's clock; 0 when it was not late. */
export function latenessOf({ startedAt = 0, runAt = startedAt }: Run): number {
  return Math.max(startedAt - runAt, 0);
}

/** How long before it was due the broker returned the run, in ms of its clock; 0 when it was not early. */
export function earlyMs({ runAt = 0, startedAt = 0 }: Run): number {
  // Less than 1 ms comes from rounding to whole milliseconds.
  return runAt - startedAt > 1 ? runAt - startedAt : 0;
}

/**
 * When the total time of a started run began, by the broker's clock: at its first start, which may have been elsewhere, or at its
 * latest redrive. The first attempt, also after a redrive, has all of it, however long the run has waited in its lane or in a worker.
 *
 * @param waitedMs - how long the run has waited in this worker until its handler was called, or has up to now
 */
export function totalStartAt(run: Run<'started'>, now: number, waitedMs: number = 0): number {
  const { epoch, resetEpoch, resetAt, startedAt = now, firstStartedAt = startedAt } = run;
  const isReset = resetAt !== undefined && firstStartedAt <= resetAt;
  if (isReset) return epoch - resetEpoch === 1 ? startedAt + waitedMs : resetAt;
  return firstStartedAt < startedAt ? firstStartedAt : startedAt + waitedMs;
}

/** Whether a run has not been started before, here or elsewhere, or not since it was redriven. */
export function isFirstStart(run: Run<'started'>): boolean {
  const { epoch, resetEpoch, resetAt, firstStartedAt, startedAt } = run;
  return firstStartedAt === startedAt || (resetAt !== undefined && epoch - resetEpoch === 1);
}
