import { readOptions } from '../fields/read-options.ts';
import { integerFrom } from '../fields/value-rules.ts';
import type { Policy, PolicySettings } from '../policy/policy.ts';
import { allowedAttempts, checkPolicy } from '../policy/settings.ts';
import type { DurationRange } from './span.ts';
import { add, cutAt, exactly } from './span.ts';
import type { RetryPreview } from './walk.ts';
import { walk } from './walk.ts';

/** The retries of a policy if every attempt fails with an error that it retries. */
export interface Preview {
  /** The delay before the first attempt. */
  readonly initialDelayMs: number;
  /** The retries in order; at most `limit` of them. */
  readonly retries: readonly RetryPreview[];
  /** The highest number of retries, `0 ≤ maxRetries ≤ Infinity`; fewer than `maxAttempts - 1` if the total timeout ends them. */
  readonly maxRetries: number;
  /** Whether the retrying ends: the policy limits the attempts, has a total timeout, or its strategy stops it. */
  readonly isBounded: boolean;
  /** Whether a custom strategy ends the retrying by `'stop'`, after `maxRetries`. */
  readonly isStopped: boolean;
  /**
   * How long it takes from the start, `initialDelay` included, to the end of the last attempt, limited by the total timeout; `maxMs` is the
   * worst case. `maxMs` is `Infinity` if delays still grow after the 1000th retry and there is no total timeout.
   */
  readonly total: DurationRange;
}

/** Options of `preview`. */
export interface PreviewOptions {
  /** Milliseconds that each attempt takes. @default 0 to `attemptTimeout`; 0 without one */
  readonly attemptMs?: number | undefined;
  /** What every attempt fails with, which chooses the entry of `delays`. @default an error that none of them matches */
  readonly error?: unknown;
  /** The number of retries to list, because a policy may have no last one. @default 1000 */
  readonly limit?: number | undefined;
}

/**
 * Computes the delays that `decide` would return, retry by retry, without waiting for them.
 *
 * Means are exact for uniform jitter, and an approximation for decorrelated backoff. A custom strategy is asked about each
 * of the first 1000 retries, as if every attempt and delay before took its mean time, without an error, an id or `now`.
 *
 * @throws {InvalidOptionsError} when the policy or an option is wrong
 */
export function preview(policy: Policy, options: PreviewOptions = {}): Preview {
  const settings = checkPolicy(policy, 'preview');
  const { attemptMs, limit, error } = readPreviewOptions(options);
  const { totalTimeoutMs, initialDelayMs } = settings;
  const attempt = attemptSpan(settings, attemptMs);
  const allowedRetries = allowedAttempts(settings) - 1;
  const { startsAfter, soonestMs, ...walked } = walk(settings, { attempt, allowedRetries, limit, error });
  const end = cutAt(add(startsAfter, attempt), totalTimeoutMs);
  return {
    initialDelayMs,
    ...walked,
    isBounded: allowedRetries < Infinity || totalTimeoutMs < Infinity || walked.isStopped,
    total: { ...end, minMs: Math.min(end.minMs, soonestMs) },
  };
}

function readPreviewOptions(
  options: PreviewOptions,
): Pick<PreviewOptions, 'attemptMs' | 'error'> & { limit: number } {
  return readOptions(options, { subject: 'preview', keys: ['attemptMs', 'limit', 'error'] }, (fields) => ({
    error: fields.value('error'),
    attemptMs: fields.optional('attemptMs', {
      accepts: (ms): ms is number => typeof ms === 'number' && ms >= 0 && ms < Infinity,
      message: 'must be a finite number of milliseconds ≥ 0',
      cure: 'Leave it out for a range up to attemptTimeout.',
    }),
    limit: fields.number('limit', 1_000, integerFrom(0, 'Leave it out to list up to 1000 retries.')),
  }));
}

function attemptSpan({ attemptTimeoutMs }: PolicySettings, attemptMs: number | undefined): DurationRange {
  if (attemptMs !== undefined) return exactly(attemptMs);
  return { minMs: 0, meanMs: 0, maxMs: attemptTimeoutMs < Infinity ? attemptTimeoutMs : 0 };
}
