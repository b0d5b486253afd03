import type { AttemptError, Run } from '@retry/core/broker';
import type { RunState } from '@retry/core/lifecycle';

/** How a run stands, in the words of those who submitted it. */
export interface RunResult {
  readonly state: RunState;
  /** What the handler returned; only when completed. */
  readonly result?: unknown;
  /** Executions that ended: failed, stalled, or completed. */
  readonly attempts: number;
  /** Attempts after the first. */
  readonly retries: number;
  readonly retried: boolean;
  /** One per failed attempt so far, oldest first; the latest twenty. */
  readonly errors: readonly AttemptError[];
}

/** What a stored run says for itself. */
export function runResult(run: Run): RunResult {
  const { state, result, failures, stalls, errors } = run;
  const attempts = failures + stalls + (state === 'completed' ? 1 : 0);
  const retries = Math.max(attempts - 1, 0);
  const value = result === undefined ? {} : { result: JSON.parse(result) as unknown };
  return { state, ...value, attempts, retries, retried: retries > 0, errors };
}
