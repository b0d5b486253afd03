import type { FailReason } from '@retry/core';
import { formatDuration } from '@retry/core';
import { countOf } from '../policies/describe.ts';
import type { Report } from '../report.ts';
import { endBySignal, statusOfSignal } from '../signals.ts';
import { nounText } from '../terminal/counts.ts';
import { RUN_EXIT } from './exit-codes.ts';
import type { AttemptEnd } from './start-command.ts';

/** An attempt of `retry run`. */
export interface RunAttempt extends AttemptEnd {
  /** Counted from 1. */
  readonly attempt: number;
  /** The delay before the next attempt; absent: there was none. */
  readonly delayMs?: number;
}

/** All attempts of a command, and why they ended. */
export interface CommandRun {
  readonly attempts: readonly RunAttempt[];
  readonly outcome: 'succeeded' | 'failed' | 'interrupted';
  readonly reason?: FailReason;
  /** The signal that this program got. */
  readonly interrupt?: string;
  readonly totalMs: number;
}

/** Returns the report: the end of the command becomes that of this program; the summary goes to standard error. */
export function runReport(run: CommandRun, { quiet }: { readonly quiet: boolean }): Report {
  const { exitCode, signal } = endOf(run);
  return {
    json: {
      outcome: run.outcome,
      ...(run.reason !== undefined && { reason: run.reason }),
      exitCode,
      ...(signal !== undefined && { signal }),
      totalMs: Math.round(run.totalMs),
      attempts: run.attempts.map((one) => ({ ...one, durationMs: Math.round(one.durationMs) })),
    },
    jsonTo: 'stderr',
    text: () => '',
    notes: () => (quiet ? '' : summary(run)),
    exitCode,
    ...(signal !== undefined && endBySignal(signal)),
  };
}

function endOf({ attempts, interrupt }: CommandRun): { exitCode: number; signal?: string } {
  const last = attempts.at(-1);
  // Interrupted during a wait, or before the first attempt: no command was there to end by it.
  if (last === undefined || (interrupt !== undefined && last.delayMs !== undefined)) {
    return bySignal(interrupt ?? 'SIGTERM');
  }
  if (last.startError !== undefined) {
    return { exitCode: last.startError === 'ENOENT' ? RUN_EXIT.notFound : RUN_EXIT.notExecutable };
  }
  if (last.timedOut) return { exitCode: RUN_EXIT.timedOut };
  return last.signal === null ? { exitCode: last.exitStatus ?? 1 } : bySignal(last.signal);
}

function bySignal(signal: string): { exitCode: number; signal: string } {
  return { exitCode: statusOfSignal(signal), signal };
}

/** Returns how an attempt ended, in words: `exit status 7`. */
export function endText({ exitStatus, signal, timedOut, startError, durationMs }: AttemptEnd): string {
  if (startError === 'ENOENT') return 'there is no such command';
  if (startError !== undefined) return `it cannot be started (${startError})`;
  if (timedOut) return `ended after ${formatDuration(durationMs)}, as it took too long`;
  return signal === null ? `exit status ${exitStatus}` : `ended by ${signal}`;
}

/** Returns the line after a failed attempt that is followed by another. */
export function retryLine(last: RunAttempt, maxAttempts: number): string {
  const next = formatDuration(last.delayMs ?? 0);
  return `retry: attempt ${last.attempt} of ${countOf(maxAttempts)} failed: ${endText(last)}. Next in ${next}.`;
}

const REASONS: Readonly<Record<FailReason, string>> = {
  exhausted: 'no attempts are left',
  unexpected: 'this exit status is not retried',
  stopped: 'this is never retried',
  'not-retryable': 'the policy allows no retry',
  'total-timeout': 'the total time is used up',
  'retry-after': 'the policy allows no retry',
  budget: 'the policy allows no retry',
};

/** Returns the last line; none for a first attempt that succeeded. */
function summary({ attempts, outcome, reason, interrupt, totalMs }: CommandRun): string {
  const last = attempts.at(-1);
  const count = nounText(attempts.length, 'attempt');
  const time = formatDuration(totalMs);
  if (outcome === 'interrupted') return `retry: stopped by ${interrupt} after ${count} in ${time}.`;
  if (last === undefined) return '';
  if (outcome === 'succeeded') {
    return attempts.length === 1 ? '' : `retry: succeeded at attempt ${last.attempt} after ${time}.`;
  }
  const why = reason === undefined || last.startError !== undefined ? '' : `; ${REASONS[reason]}`;
  return `retry: gave up after ${count} in ${time}: ${endText(last)}${why}.`;
}
