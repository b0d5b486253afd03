import { areCharged } from '@retry/core/failures';
import type { AttemptErrorView, RunView } from '@retry/worker';
import type { AttemptRow } from '../../api.ts';
import { shownError } from '../../show/shown-error.ts';
import type { Showing } from '../../show/shown-text.ts';

/** Returns one row for each recorded attempt, and for the one that runs now. */
export function attemptRows(view: RunView, showing: Showing): readonly AttemptRow[] {
  const { errors, state, startedAt } = view;
  const rows = errors.map((error, index) => ({
    ...rowOf(view, index),
    ...(error.worker !== undefined && { worker: error.worker }),
    ...(error.reason !== undefined && { reason: error.reason }),
    ...(error.stalledWith !== undefined && { stalledWith: error.stalledWith }),
    error: shownError(view, error, showing),
  }));
  if (state !== 'started' || startedAt === undefined) return rows;
  const waitedMs = errors.length === 0 ? waitedFirst(view, startedAt) : {};
  return [...rows, { attempt: view.attempt, startedAt, ...waitedMs }];
}

function rowOf(view: RunView, index: number): AttemptRow {
  const { errors } = view;
  const { at, startedAt, durationMs } = errors[index] as AttemptErrorView; // its own index
  const ran = durationMs ?? (startedAt === undefined ? undefined : Math.max(at - startedAt, 0));
  const nextAt = startAfter(view, index);
  const attempt = numberOf(view, index);
  return {
    ...{ attempt, at },
    ...(startedAt !== undefined && { startedAt }),
    ...(ran !== undefined && { durationMs: ran }),
    ...(index === 0 && attempt === 1 && startedAt !== undefined && waitedFirst(view, startedAt)),
    ...(nextAt !== undefined && { backoffMs: Math.max(nextAt - at, 0) }),
  };
}

/** When the attempt after this one started, or is due. */
function startAfter({ errors, state, startedAt, runAt }: RunView, index: number): number | undefined {
  const next = errors[index + 1];
  if (next !== undefined) return next.startedAt;
  if (state === 'started') return startedAt;
  return state === 'scheduled' ? runAt : undefined;
}

function waitedFirst({ resetAt, createdAt }: RunView, startedAt: number): { readonly waitedMs?: number } {
  const since = resetAt ?? createdAt;
  return since === undefined ? {} : { waitedMs: Math.max(startedAt - since, 0) };
}

/** Only the latest errors are kept, so attempts are counted from the last one backwards. */
function numberOf({ errors, failures, stalls, carried }: RunView, index: number): number {
  const charged = areCharged(errors);
  const later = charged.slice(index + 1).filter(Boolean).length;
  const upToThis = failures + stalls + carried - later;
  return charged[index] === true ? upToThis : upToThis + 1;
}
