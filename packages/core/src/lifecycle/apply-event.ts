import type { RunEvent, RunEventType } from './run-event.ts';
import type { RunRecord } from './run-state.ts';

/** A copy of a run that nobody else has seen yet. */
export type Draft = { -readonly [Key in keyof RunRecord]: RunRecord[Key] };

type Change<Type extends RunEventType> = (draft: Draft, event: Extract<RunEvent, { type: Type }>) => void;

const CHANGES: { readonly [Type in RunEventType]: Change<Type> } = {
  submit: (draft, event) => {
    draft.submittedAt = event.at;
    draft.runAt = dueAt(event);
  },
  promote: (draft, { at }) => {
    draft.submittedAt = at;
  },
  start: (draft, { at }) => {
    draft.epoch += 1;
    draft.heartbeatAt = at;
    draft.firstStartedAt ??= at;
    draft.startedAt = at;
  },
  heartbeat: (draft, { at }) => {
    draft.heartbeatAt = Math.max(at, draft.heartbeatAt ?? at);
  },
  complete: end,
  retry: (draft, event) => {
    draft.failures += 1;
    again(draft, event);
  },
  fail: (draft, event) => {
    draft.failures += 1;
    end(draft, event);
  },
  release: (draft, { at }) => {
    draft.releases += 1;
    again(draft, { at, runAt: at });
  },
  stall: (draft, event) => {
    // Which of the runs that stalled together ended their worker is not known: none of them is charged.
    if (event.isShared === true) draft.releases += 1;
    else draft.stalls += 1;
    end(draft, event);
  },
  recover: again,
  giveUp: end,
  cancel: end,
  drop: (draft, event) => {
    giveBack(draft);
    end(draft, event);
  },
  limit: (draft, { at, runAt }) => {
    giveBack(draft);
    if (runAt === undefined) return end(draft, { at });
    draft.rateLimits += 1;
    draft.runAt = dueAt({ at, runAt });
  },
  redrive: (draft, { at, keepAttempts }) => {
    draft.redrives += 1;
    again(draft, { at, runAt: at });
    if (keepAttempts !== true) reset(draft, at);
  },
};

/**
 * Writes the counters and timestamps that an allowed event changes into a copy of the run, made for it. Into a
 * copy rather than out of spreads, because every move of every run comes by here.
 */
export function applyEvent(draft: Draft, event: RunEvent): void {
  (CHANGES[event.type] as Change<RunEventType>)(draft, event); // the entry of its own type
}

function dueAt({ at, runAt = at }: { readonly at: number; readonly runAt?: number }): number {
  return Math.max(runAt, at);
}

function end(draft: Draft, { at }: { readonly at: number }): void {
  draft.endedAt = at;
}

/** Back to its lane now, or to the schedule for later. */
function again(draft: Draft, event: { readonly at: number; readonly runAt: number }): void {
  draft.runAt = dueAt(event);
  if (draft.runAt === event.at) draft.submittedAt = event.at;
}

/** A claim that came to nothing without being charged counts as a release, so that every epoch has its reason. */
function giveBack(draft: Draft): void {
  if (draft.state === 'started') draft.releases += 1;
}

function reset(draft: Draft, at: number): void {
  Object.assign(draft, {
    failures: 0,
    stalls: 0,
    releases: 0,
    rateLimits: 0,
    resetEpoch: draft.epoch,
    resetAt: at,
  });
}
