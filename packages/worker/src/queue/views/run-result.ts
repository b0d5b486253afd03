import type { Run } from '@retry/core/broker';
import { chargedAttempts } from '@retry/core/broker/kit';
import type { RunState } from '@retry/core/lifecycle';
import type { AttemptErrorView } from './run-view.ts';
import { hasEndedInAttempt, viewErrors } from './run-view.ts';
import type { Times, WriteInstant } from './times.ts';

/** The state of a run and what it has produced so far. */
export interface RunResult<At extends Times = 'ms'> {
  /** The state that it is in now. */
  readonly state: RunState;
  /** What the handler returned; present when the run has completed, and its result is kept. */
  readonly result?: unknown;
  /** Retention has deleted the result, to stay within `keepCompleted.bytes`: use `keepResult`. Absent otherwise. */
  readonly isResultForgotten?: true;
  /** Executions that failed, stalled or completed, with those that the run brought along. */
  readonly attempts: number;
  /** Attempts after the first. */
  readonly retries: number;
  /** Whether there were retries. */
  readonly retried: boolean;
  /** The stored errors, one per failed attempt so far, oldest first; the latest twenty. */
  readonly errors: readonly AttemptErrorView<At>[];
}

/** Returns the result of a stored run. */
export function runResult<At extends Times>(run: Run, writeInstant: WriteInstant<At>): RunResult<At> {
  const { state, result, trimmed } = run;
  const attempts = chargedAttempts(run) + (state === 'completed' && hasEndedInAttempt(run) ? 1 : 0);
  const retries = Math.max(attempts - 1, 0);
  const value = result === undefined ? {} : { result: JSON.parse(result) as unknown };
  const errors = viewErrors(run.errors, writeInstant);
  const forgotten = trimmed?.includes('result') ? ({ isResultForgotten: true } as const) : {};
  return { state, ...value, ...forgotten, attempts, retries, retried: retries > 0, errors };
}
