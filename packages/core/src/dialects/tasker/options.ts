import type { Fields } from '../../fields/fields.ts';
import { A_SHARE } from '../../fields/value-rules.ts';
import { isUnset, readFactor, readInteger, readSeconds } from '../read-options.ts';

/** How a step's own delays grow. */
export type TaskerBackoff = 'none' | 'linear' | 'exponential' | 'fibonacci';

/** A Tasker step's `retry` block, and the configuration of its backoff calculator. */
export interface TaskerOptions {
  /** Executions, including the first; 0 counts as 1. @default 3 */
  readonly max_attempts?: number | null | undefined;
  /** `false`: one execution. @default true */
  readonly retryable?: boolean | null | undefined;
  /** How this step's delays grow. @default 'exponential' if one of the next two is set */
  readonly backoff?: TaskerBackoff | undefined;
  /** The step's first delay in milliseconds. @default 1000 */
  readonly backoff_base_ms?: number | undefined;
  /** The step's longest delay in milliseconds. @default 30000 */
  readonly max_backoff_ms?: number | undefined;
  /** Configuration: base in seconds; the first retry waits `base × multiplier`. @default 1 */
  readonly base_delay_seconds?: number | undefined;
  /** Configuration: longest delay in seconds, also of a `Retry-After`. @default 300 */
  readonly max_delay_seconds?: number | undefined;
  /** Configuration: growth per retry. @default 2 */
  readonly multiplier?: number | undefined;
  /** Configuration: whether delays have jitter. @default true */
  readonly jitter_enabled?: boolean | undefined;
  /** Configuration: share of the delay, 0 to 1. @default 0.1 */
  readonly max_jitter?: number | undefined;
}

/** The option names of {@link TaskerOptions}. */
export const TASKER_KEYS: readonly string[] = [
  ...['max_attempts', 'retryable', 'backoff', 'backoff_base_ms', 'max_backoff_ms'],
  ...['base_delay_seconds', 'max_delay_seconds', 'multiplier', 'jitter_enabled', 'max_jitter'],
];

/** {@link TaskerOptions} with defaults, every duration in milliseconds. */
export interface TaskerSettings {
  readonly maxAttempts: number;
  readonly isRetryable: boolean;
  readonly baseMs: number;
  readonly maxMs: number;
  readonly multiplier: number;
  /** Share of the delay; 0: no jitter. */
  readonly jitter: number;
  /** The step's own delays; absent if the configuration of the calculator applies. */
  readonly step?: { readonly backoff: TaskerBackoff; readonly baseMs: number; readonly maxMs: number };
}

const BACKOFFS: readonly TaskerBackoff[] = ['none', 'linear', 'exponential', 'fibonacci'];

/** Reads {@link TaskerOptions}. */
export function readTasker(fields: Fields): TaskerSettings {
  const step = readStep(fields);
  const jitter = readJitter(fields);
  return {
    maxAttempts: Math.max(1, readInteger(fields, 'max_attempts', 3)),
    isRetryable: isUnset(fields.value('retryable')) || fields.choice('retryable', true, [true, false]),
    baseMs: readSeconds(fields, 'base_delay_seconds', 1),
    maxMs: readSeconds(fields, 'max_delay_seconds', 300),
    multiplier: readFactor(fields, 'multiplier', 2),
    jitter: fields.choice('jitter_enabled', true, [true, false]) ? jitter : 0,
    ...(step !== undefined && { step }),
  };
}

function readStep(fields: Fields): TaskerSettings['step'] {
  const keys = ['backoff', 'backoff_base_ms', 'max_backoff_ms'];
  if (keys.every((key) => fields.value(key) === undefined)) return undefined;
  const ms = { finite: true } as const;
  return {
    backoff: fields.choice('backoff', 'exponential', BACKOFFS),
    baseMs: fields.duration('backoff_base_ms', 1_000, ms),
    maxMs: fields.duration('max_backoff_ms', 30_000, ms),
  };
}

function readJitter(fields: Fields): number {
  return fields.number('max_jitter', 0.1, {
    accepts: A_SHARE.accepts,
    message: 'must be a share from 0 to 1',
    cure: 'Write 0.1 for ± 10 %.',
  });
}
