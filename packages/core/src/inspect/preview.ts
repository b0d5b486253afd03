import { readOptions } from '../fields/read-options.ts';
import { integerFrom } from '../fields/value-rules.ts';
import type { Policy, PolicySettings } from '../policy/policy.ts';
import { allowedAttempts, checkPolicy } from '../policy/settings.ts';
import type { DurationRange } from './span.ts';
import { add, cutAt, exactly } from './span.ts';
import type { RetryPreview } from './walk.ts';
import { walk } from './walk.ts';

/** What a policy can do at most when every attempt fails with an error it retries. */
export interface Preview {
  /** The wait before the first attempt. */
  readonly initialDelayMs: number;
  /** The retries in order; at most `limit` of them. */
  readonly retries: readonly RetryPreview[];
  /** How many retries there can be: `0 ≤ maxRetries ≤ Infinity`, less than `maxAttempts` where the deadline cuts. */
  readonly maxRetries: number;
  /** Whether there is an end: a limited number of attempts, or a deadline. */
  readonly isBounded: boolean;
  /**
   * From the beginning, `initialDelay` included, to the end of the last attempt, cut at the deadline; `maxMs` is the
   * worst case.
   * Where waits still grow after the thousandth retry, and no deadline ends them, it is `Infinity`.
   */
  readonly total: DurationRange;
}

/** How to look ahead. */
export interface PreviewOptions {
  /** How long each attempt takes, in ms. @default 0 to `attemptTimeoutMs`, or 0 where there is none */
  readonly attemptMs?: number | undefined;
  /** How many retries to list; an unlimited policy has no last one. @default 1000 */
  readonly limit?: number | undefined;
}

/**
 * The timetable of a policy without waiting for it: what `decide` would do, retry by retry.
 *
 * Means are exact for uniform jitter and an approximation for decorrelated backoff.
 *
 * @throws {InvalidOptionsError} when an option is wrong
 */
export function preview(policy: Policy, options: PreviewOptions = {}): Preview {
  const settings = checkPolicy(policy, 'preview');
  const { attemptMs, limit } = readPreviewOptions(options);
  const { totalTimeoutMs, initialDelayMs } = settings;
  const attempt = attemptSpan(settings, attemptMs);
  const most = allowedAttempts(settings) - 1;
  const { retries, maxRetries, startsAfter, soonestMs } = walk(settings, { attempt, most, limit });
  const end = cutAt(add(startsAfter, attempt), totalTimeoutMs);
  return {
    initialDelayMs,
    retries,
    maxRetries,
    isBounded: most < Infinity || totalTimeoutMs < Infinity,
    total: { ...end, minMs: Math.min(end.minMs, soonestMs) },
  };
}

function readPreviewOptions(options: PreviewOptions): { attemptMs: number | undefined; limit: number } {
  return readOptions(options, { subject: 'preview', keys: ['attemptMs', 'limit'] }, (fields) => ({
    attemptMs: fields.optional('attemptMs', {
      accepts: (ms): ms is number => typeof ms === 'number' && ms >= 0 && ms < Infinity,
      message: 'must be a finite number of milliseconds ≥ 0',
      cure: 'Leave it out to take anything up to attemptTimeout.',
    }),
    limit: fields.number('limit', 1_000, integerFrom(0, 'Leave it out to list up to 1000 retries.')),
  }));
}

function attemptSpan({ attemptTimeoutMs }: PolicySettings, attemptMs: number | undefined): DurationRange {
  if (attemptMs !== undefined) return exactly(attemptMs);
  return { minMs: 0, meanMs: 0, maxMs: attemptTimeoutMs < Infinity ? attemptTimeoutMs : 0 };
}
