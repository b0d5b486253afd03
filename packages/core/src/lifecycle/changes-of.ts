import type { RunEvent, RunEventType } from './run-event.ts';
import type { RunRecord } from './run-state.ts';

type Change<Type extends RunEventType> = (
  run: RunRecord,
  event: Extract<RunEvent, { type: Type }>,
) => Partial<RunRecord>;

const CHANGES: { readonly [Type in RunEventType]: Change<Type> } = {
  submit: (_, event) => ({ submittedAt: event.at, runAt: dueAt(event) }),
  promote: (_, { at }) => ({ submittedAt: at }),
  start: (run, { at }) => ({ epoch: run.epoch + 1, heartbeatAt: at, ...startedAt(run, at) }),
  heartbeat: (run, { at }) => ({ heartbeatAt: Math.max(at, run.heartbeatAt ?? at) }),
  complete: (_, { at }) => ({ completedAt: at }),
  retry: (run, event) => ({ failures: run.failures + 1, ...again(event) }),
  fail: (run, { at }) => ({ failures: run.failures + 1, completedAt: at }),
  release: (run, { at }) => ({ releases: run.releases + 1, submittedAt: at, runAt: at }),
  stall: (run, { at }) => ({ stalls: run.stalls + 1, completedAt: at }),
  recover: (_, event) => again(event),
  'give-up': (_, { at }) => ({ completedAt: at }),
  cancel: (_, { at }) => ({ completedAt: at }),
  drop: (run, { at }) => ({ ...givenBack(run), completedAt: at }),
  limit: (run, event) => ({ ...givenBack(run), ...limited(run, event) }),
  redrive: (run, { at, keepAttempts }) => ({
    redrives: run.redrives + 1,
    submittedAt: at,
    runAt: at,
    ...(keepAttempts === true ? {} : fresh(run)),
  }),
};

/** The counters and timestamps that an allowed event changes. */
export function changesOf(run: RunRecord, event: RunEvent): Partial<RunRecord> {
  return (CHANGES[event.type] as Change<RunEventType>)(run, event); // the entry of its own type
}

function startedAt(run: RunRecord, at: number): Partial<RunRecord> {
  return run.startedAt === undefined ? { startedAt: at } : { retriedAt: at };
}

function dueAt({ at, runAt = at }: { readonly at: number; readonly runAt?: number }): number {
  return Math.max(runAt, at);
}

/** Back to its lane now, or to the schedule for later. */
function again(event: { readonly at: number; readonly runAt: number }): Partial<RunRecord> {
  const runAt = dueAt(event);
  return runAt > event.at ? { runAt } : { runAt, submittedAt: event.at };
}

/** A claim that came to nothing without being charged counts as a release, so that every epoch has its reason. */
function givenBack(run: RunRecord): Partial<RunRecord> {
  return run.state === 'started' ? { releases: run.releases + 1 } : {};
}

function limited(
  run: RunRecord,
  { at, runAt }: { readonly at: number; readonly runAt?: number },
): Partial<RunRecord> {
  return runAt === undefined
    ? { completedAt: at }
    : { rateLimits: run.rateLimits + 1, runAt: dueAt({ at, runAt }) };
}

function fresh(run: RunRecord): Partial<RunRecord> {
  return { failures: 0, stalls: 0, releases: 0, rateLimits: 0, resetEpoch: run.epoch };
}
