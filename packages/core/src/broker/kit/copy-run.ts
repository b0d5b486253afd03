import type { EventFrom, StateAfter } from '../../lifecycle/arrows.ts';
import type { RunEvent } from '../../lifecycle/run-event.ts';
import type { RunState } from '../../lifecycle/run-state.ts';
import { NEW_RUN } from '../../lifecycle/run-state.ts';
import type { Transition } from '../../lifecycle/transition.ts';
import { transitionBy } from '../../lifecycle/transition.ts';
import type { Run } from '../run.ts';

/** A fresh copy of a run, which its owner may write into. Every key exists, set or not. */
export type RunDraft<State extends RunState = RunState> = {
  -readonly [Key in keyof Required<Run<State>>]: Run<State>[Key];
};

/**
 * Copies a run, key by key in one literal, because every move of every run is a copy: V8 makes the literal in 40 ns and
 * always with the same shape, while a spread of runs of several shapes takes ten times as long. Other keys are dropped.
 */
export function copyRun<State extends RunState>(run: Run<State>): RunDraft<State> {
  return {
    id: run.id,
    lane: run.lane,
    payload: run.payload,
    state: run.state,
    epoch: run.epoch,
    resetEpoch: run.resetEpoch,
    resetAt: run.resetAt,
    failures: run.failures,
    stalls: run.stalls,
    releases: run.releases,
    rateLimits: run.rateLimits,
    redrives: run.redrives,
    carried: run.carried,
    createdAt: run.createdAt,
    submittedAt: run.submittedAt,
    firstStartedAt: run.firstStartedAt,
    startedAt: run.startedAt,
    heartbeatAt: run.heartbeatAt,
    runAt: run.runAt,
    endedAt: run.endedAt,
    result: run.result,
    errors: run.errors,
    previousDelayMs: run.previousDelayMs,
    concurrency: run.concurrency,
    fairnessKey: run.fairnessKey,
    retry: run.retry,
    origin: run.origin,
    context: run.context,
    deadContext: run.deadContext,
    settledBy: run.settledBy,
    isDisposable: run.isDisposable,
    errorGroup: run.errorGroup,
    isCancelRequested: run.isCancelRequested,
    trimmed: run.trimmed,
  };
}

/** The part of a run that no settlement changes. */
export type RunIdentity = Pick<
  Run,
  'id' | 'lane' | 'payload' | 'concurrency' | 'fairnessKey' | 'retry' | 'origin' | 'context'
>;

const NO_ERRORS: Run['errors'] = Object.freeze([]);
const BLANK: Run<'unsubmitted'> = copyRun({ ...NEW_RUN, id: '', lane: '', payload: '', errors: NO_ERRORS });

/** Returns a run before its submission. */
export function newRun(submission: RunIdentity): RunDraft<'unsubmitted'> {
  return withIdentity(copyRun(BLANK), submission);
}

/** Writes into a run what it was submitted with, which no settlement and no change alters. */
export function withIdentity<State extends RunState>(
  draft: RunDraft<State>,
  run: RunIdentity,
): RunDraft<State> {
  draft.id = run.id;
  draft.lane = run.lane;
  draft.payload = run.payload;
  draft.concurrency = run.concurrency;
  draft.fairnessKey = run.fairnessKey;
  draft.retry = run.retry;
  draft.origin = run.origin;
  draft.context = run.context;
  return draft;
}

/** `transition` for the runs of a broker: the same moves with a faster copy. */
export function transitionRun<State extends RunState, Event extends EventFrom<State>>(
  run: Run<State>,
  event: Event,
): Transition<Run<State>, StateAfter<State, Event['type']>> {
  return transitionBy(run, event, copyRun<State>);
}

/** Returns the run after an event that its state allows. */
export function movedRun<Event extends RunEvent>(
  run: Run,
  event: Event,
): Run<StateAfter<RunState, Event['type']>> {
  const moved = transitionRun(run, event);
  if (moved.type === 'rejected')
    throw new Error(`run ${run.id} is ${moved.from}, which does not allow ${moved.event}`);
  return moved.run;
}
