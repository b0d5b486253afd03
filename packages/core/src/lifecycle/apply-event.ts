import type { RunEvent, RunEventType } from './run-event.ts';
import type { RunRecord } from './run-state.ts';

/** A fresh copy of a run, to be written into. */
export type Draft = { -readonly [Key in keyof RunRecord]: RunRecord[Key] };

type Change<Type extends RunEventType> = (draft: Draft, event: Extract<RunEvent, { type: Type }>) => void;

const CHANGES: { readonly [Type in RunEventType]: Change<Type> } = {
  submit: (draft, event) => {
    draft.createdAt = event.at;
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
  release: (draft, { at, runAt = at }) => {
    draft.releases += 1;
    again(draft, { at, runAt });
  },
  stall: (draft, event) => {
    // It is unknown which of the runs that stalled together ended their worker, so none of them is charged.
    if (event.isShared === true) draft.releases += 1;
    else draft.stalls += 1;
    end(draft, event);
  },
  recover: again,
  giveUp: end,
  cancel: end,
  end,
  reschedule: (draft, { at, runAt = at }) => {
    // A run that is in its lane and stays there keeps its instants, as it keeps its place.
    if (draft.state === 'scheduled' || runAt > at) again(draft, { at, runAt });
  },
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
  redrive: (draft, { at, runAt = at, keepAttempts }) => {
    draft.redrives += 1;
    again(draft, { at, runAt });
    if (keepAttempts !== true) reset(draft, at);
  },
};

/**
 * Writes the counters and instants that an allowed event changes into a fresh copy of the run. It mutates the copy,
 * because every move of every run passes here and a spread per event would cost more.
 */
export function applyEvent(draft: Draft, event: RunEvent): void {
  (CHANGES[event.type] as Change<RunEventType>)(draft, event); // the entry of its own type
}

function dueAt({ at, runAt = at }: { readonly at: number; readonly runAt?: number }): number {
  return runAt > at ? runAt : at; // NaN is no instant
}

function end(draft: Draft, { at }: { readonly at: number }): void {
  draft.endedAt = at;
}

/** Back to its lane now, or to the schedule for later. */
function again(draft: Draft, event: { readonly at: number; readonly runAt: number }): void {
  draft.runAt = dueAt(event);
  if (draft.runAt === event.at) draft.submittedAt = event.at;
}

/** A claim that ends without a charge counts as a release, so that every epoch is accounted for. */
function giveBack(draft: Draft): void {
  if (draft.state === 'started') draft.releases += 1;
}

function reset(draft: Draft, at: number): void {
  Object.assign(draft, {
    failures: 0,
    stalls: 0,
    releases: 0,
    rateLimits: 0,
    carried: 0,
    resetEpoch: draft.epoch,
    resetAt: at,
  });
}
