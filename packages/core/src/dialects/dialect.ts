import type { LintWarning } from '../plan/lint-policy.ts';
import type { Policy } from '../policy/policy.ts';

/** What belongs to a task rather than to its policy; `taskFrom` of the worker makes task options of it. */
export interface TaskOptions {
  /** The task's own name and version, where that system's options hold them. */
  readonly name?: string;
  readonly version?: string;
  /** How a run that met a full concurrency limit comes back; it has a counter of its own. */
  readonly rateLimitRetry?: Policy;
  /** Longest time one attempt may take; the same as the policy's `attemptTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Longest silence between two heartbeats; absent = silence is never held against a run. */
  readonly heartbeatMs?: number;
  /** Runs of this task at once in one worker; absent = the worker's own limit. */
  readonly maxConcurrent?: number;
  /** Runs of this task at once in all workers; absent = no limit. */
  readonly globalConcurrency?: number;
  /** What a run does that finds `globalConcurrency` used up. */
  readonly whenFull?: 'wait' | 'retry' | 'end';
  /** What happens to a run when its worker shuts down. */
  readonly onShutdown?: 'resubmit' | 'stop' | 'continue';
  /** What happens to a run whose worker fell silent; `hold` leaves it stalled. */
  readonly onStall?: 'retry' | 'fail' | 'hold';
  /** Whether a run that failed for good is kept as a dead letter. */
  readonly deadLetter?: 'save' | 'none';
  /** What happens to a run whose task no worker knows. */
  readonly onUnknown?: 'wait' | 'drop';
  /** Shortest time before a run that was met too early is looked at again. */
  readonly minRequeueDelayMs?: number;
}

/** Stable names of what a dialect warns about. */
export type DialectCode =
  /** The limit is 0 or less: the task runs once and is never retried. */
  | 'RUNS_ONCE'
  /** There is no limit at all. */
  | 'UNLIMITED'
  /** No exception is listed, which means none. */
  | 'RETRIES_NOTHING'
  /** Timeouts are listed: that system would not retry them, here they are. */
  | 'TIMEOUT_LISTED'
  /** An option was written that has no effect beside the others. */
  | 'WITHOUT_EFFECT'
  /** The number is cut to a whole one, or raised to the least there is. */
  | 'ROUNDED'
  /** Without a backoff the default delay holds, which is 180 s where nobody wrote one. */
  | 'DEFAULT_DELAY'
  /** The first retry waits twice what was written. */
  | 'FIRST_DELAY_DOUBLED'
  /** The first retry does not wait. */
  | 'FIRST_DELAY_ZERO'
  /** Jitter is added on top of the cap. */
  | 'JITTER_OVER_CAP'
  /** Not retryable, but with attempts to spare. */
  | 'NOT_RETRYABLE'
  /** That system's own validation would refuse the value. */
  | 'OUT_OF_RANGE'
  /** Several declarations form one policy: the last options hold for every exception. */
  | 'ONE_POLICY';

/** Something that is allowed and rarely meant; as `lintPolicy` reports it, with the dialect's own names as path. */
export interface DialectWarning extends Omit<LintWarning, 'code'> {
  readonly code: DialectCode;
}

/** What a dialect makes of another system's options. */
export interface Dialect {
  /** Behaves as that system does. */
  readonly policy: Policy;
  /** What a policy cannot hold. */
  readonly task: TaskOptions;
  readonly warnings: readonly DialectWarning[];
}

/** The result of every dialect, frozen; what is `undefined` among the warnings is left out. */
export function dialectOf(
  policy: Policy,
  task: TaskOptions,
  warnings: readonly (DialectWarning | undefined)[],
): Dialect {
  return Object.freeze({
    policy,
    task: Object.freeze(task),
    warnings: Object.freeze(warnings.filter((warning) => warning !== undefined).map(Object.freeze)),
  }) as Dialect; // Object.freeze as a callback loses the type of what it froze
}

/** The warning when it applies. */
export function warnIf(applies: boolean, warning: DialectWarning): DialectWarning | undefined {
  return applies ? warning : undefined;
}

/** The warning of every dialect whose limit counts: 0 or less is one run. */
export function warnRunsOnce(path: string, limit: unknown): DialectWarning | undefined {
  return warnIf(typeof limit === 'number' && limit <= 0, {
    code: 'RUNS_ONCE',
    path,
    message: `${path}: ${String(limit)} runs once and never retries`,
    cure: 'Leave the retry options out, or raise the limit.',
  });
}
