import type { LintWarning } from '../inspect/lint-policy.ts';
import type { Policy } from '../policy/policy.ts';

/** The options of a task that a policy cannot express; `taskFrom` of the worker converts them. */
export interface TaskOptions {
  /** The task's own name and version, if that system's options have them. */
  readonly name?: string;
  /** Absent where that system has no versions, or none is given. */
  readonly version?: string;
  /** The policy of runs that were over the concurrency limit; it has its own counter. */
  readonly rateLimitRetry?: Policy;
  /** The longest time between two heartbeats, in milliseconds; absent: no limit. */
  readonly heartbeatMs?: number;
  /** How many runs of this task may run at the same time in one worker; absent: the worker's own limit. */
  readonly maxConcurrent?: number;
  /** How many runs of this task may run at the same time in all workers; absent: no limit. */
  readonly globalConcurrency?: number;
  /** What happens to a run when `globalConcurrency` is reached. */
  readonly whenFull?: 'wait' | 'retry' | 'end';
  /** What happens to a run when its worker shuts down. */
  readonly onShutdown?: 'resubmit' | 'stop' | 'continue';
  /** What happens to a run whose worker sends no more heartbeats; `hold` keeps it stalled. */
  readonly onStall?: 'retry' | 'fail' | 'hold';
  /** Whether a run that failed finally is kept as a dead letter. */
  readonly deadLetter?: 'save' | 'none';
  /** What happens to a run whose task is unknown to the workers. */
  readonly onUnknown?: 'wait' | 'drop';
  /** The shortest delay, in milliseconds, of a run that is put back because it is not due yet. */
  readonly minRequeueDelayMs?: number;
}

/** The codes of a dialect's warnings. */
export type DialectCode =
  /** The limit is 0 or less: the task runs once and is never retried. */
  | 'RUNS_ONCE'
  /** There is no limit at all. */
  | 'UNLIMITED'
  /** No exception is listed, so none is retried. */
  | 'RETRIES_NOTHING'
  /** Timeouts are listed: that system does not retry them, the dialect does. */
  | 'TIMEOUT_LISTED'
  /** An option has no effect in combination with the others. */
  | 'WITHOUT_EFFECT'
  /** The number is truncated to an integer, or raised to the minimum. */
  | 'ROUNDED'
  /** Without a backoff the default delay applies: 180 s unless another one is set. */
  | 'DEFAULT_DELAY'
  /** The first retry waits twice the written delay. */
  | 'FIRST_DELAY_DOUBLED'
  /** The first retry does not wait. */
  | 'FIRST_DELAY_ZERO'
  /** Jitter is added on top of the cap. */
  | 'JITTER_OVER_CAP'
  /** The task is not retryable, although the limit allows further attempts. */
  | 'NOT_RETRYABLE'
  /** The system's own validation refuses the value. */
  | 'OUT_OF_RANGE'
  /** The policy is by that system's documentation: the system itself was not run. */
  | 'BY_DOCUMENTATION'
  /** The system does something that no policy says, or not exactly. */
  | 'DIFFERS'
  /** Several declarations form one policy: the last options apply to every exception. */
  | 'ONE_POLICY';

/** A warning about an option that is valid but rarely intended, like those of `lintPolicy`; the path has the dialect's names. */
export interface DialectWarning extends Omit<LintWarning, 'code'> {
  /** Stable, as those of `lintPolicy`. */
  readonly code: DialectCode;
}

/** Another system's options as a policy and task options. */
export interface Dialect {
  /** A policy that behaves as that system does. */
  readonly policy: Policy;
  /** The options that a policy cannot express. */
  readonly task: TaskOptions;
  /** What of the options is rarely intended; none of it is an error. */
  readonly warnings: readonly DialectWarning[];
}

/** Returns the frozen result of a dialect; `undefined` is removed from the warnings. */
export function dialectOf(
  policy: Policy,
  task: TaskOptions,
  warnings: readonly (DialectWarning | undefined)[],
): Dialect {
  return Object.freeze({
    policy,
    task: Object.freeze(task),
    warnings: Object.freeze(warnings.filter((warning) => warning !== undefined).map(Object.freeze)),
  }) as Dialect; // Object.freeze as a callback loses the type
}

/** Returns the warning if it applies. */
export function warnIf(applies: boolean, warning: DialectWarning): DialectWarning | undefined {
  return applies ? warning : undefined;
}

/** Returns the warning of a limit on retries of 0 or less, which allows one run. */
export function warnRunsOnce(path: string, limit: unknown): DialectWarning | undefined {
  return warnIf(typeof limit === 'number' && limit <= 0, {
    code: 'RUNS_ONCE',
    path,
    message: `${path}: ${String(limit)} runs once and never retries`,
    cure: 'Leave the retry options out, or raise the limit.',
  });
}
