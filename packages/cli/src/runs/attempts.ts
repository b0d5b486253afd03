import { areCharged } from '@retry/core/failures';
import { isEnd } from '@retry/core/lifecycle';
import type { RunView } from '@retry/worker';

/** One attempt of a run, or a time that it waits for one. */
export interface AttemptRow {
  /** Counted from 1; absent where nothing was charged. */
  readonly attempt?: number;
  readonly startedAt?: number;
  /** How long after the end of the attempt before, or after the submission, it started. */
  readonly waitedMs?: number;
  readonly ranMs?: number;
  /** What followed: `retried`, why it ended, `completed`, `running`, or `waits`. */
  readonly outcome: string;
  readonly error?: { readonly name: string; readonly message: string };
}

/** Returns the attempts that are kept of a run, oldest first; the last row is what it does now, unless it ended with an error. */
export function attemptsOf(run: RunView, now: number): readonly AttemptRow[] {
  const failed = failedAttempts(run);
  const last = run.errors.at(-1);
  const since = last?.at ?? run.resetAt ?? run.createdAt;
  const started =
    run.startedAt === undefined ? {} : { startedAt: run.startedAt, ...waited(since, run.startedAt) };
  if (isEnd(run.state) && run.state !== 'completed') return failed;
  switch (run.state) {
    case 'started':
      return [
        ...failed,
        { attempt: run.attempt, ...started, ...ranOf(run.startedAt, now), outcome: 'running' },
      ];
    case 'completed':
      if (run.startedAt === undefined || run.startedAt < (last?.at ?? 0)) return failed;
      return [
        ...failed,
        { attempt: run.attempt, ...started, ...ranOf(run.startedAt, run.endedAt), outcome: 'completed' },
      ];
    case 'submitted':
    case 'scheduled':
      return [...failed, { attempt: run.attempt, ...waited(since, now), outcome: 'waits' }];
    case 'unsubmitted':
      return failed;
  }
}

/** Attempts are numbered from the last one, because only the latest twenty are kept. */
function failedAttempts(run: RunView): readonly AttemptRow[] {
  let attempt = run.carried + run.failures + run.stalls;
  const charged = areCharged(run.errors);
  const rows: AttemptRow[] = [];
  for (const [index, error] of [...run.errors.entries()].reverse()) {
    const { at, startedAt, durationMs, reason, name, message } = error;
    const isCharged = charged[index] === true;
    const before = run.errors[index - 1]?.at ?? (attempt <= 1 ? (run.resetAt ?? run.createdAt) : undefined);
    const ranMs = durationMs ?? (startedAt === undefined ? undefined : at - startedAt);
    rows.unshift({
      ...(isCharged && attempt > 0 && { attempt }),
      ...(startedAt !== undefined && { startedAt, ...waited(before, startedAt) }),
      ...(ranMs !== undefined && { ranMs }),
      outcome: reason ?? 'failed',
      error: { name, message },
    });
    if (isCharged) attempt -= 1;
  }
  return rows;
}

function waited(from: number | undefined, to: number): { readonly waitedMs?: number } {
  return from === undefined ? {} : { waitedMs: Math.max(to - from, 0) };
}

function ranOf(from: number | undefined, to: number | undefined): { readonly ranMs?: number } {
  return from === undefined || to === undefined ? {} : { ranMs: Math.max(to - from, 0) };
}
