import { type DialectWarning, warnIf, warnRunsOnce } from '../dialect.ts';
import { isUnset } from '../read-options.ts';

/** How a step's own delays grow. */
type TaskerBackoff = 'none' | 'linear' | 'exponential' | 'fibonacci';

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

/** The ranges of Tasker's own template validation. */
const RANGES = {
  max_attempts: [1, 100],
  backoff_base_ms: [100, 3_600_000],
  max_backoff_ms: [1_000, 3_600_000],
} as const;

/** Returns the warnings about valid Tasker options. */
export function warnTasker(options: TaskerOptions): readonly (DialectWarning | undefined)[] {
  const { max_attempts, retryable } = options;
  const maxAttempts = max_attempts ?? 3;
  return [
    warnRunsOnce('max_attempts', max_attempts),
    warnIf(retryable === false && maxAttempts > 1, {
      code: 'NOT_RETRYABLE',
      path: 'retryable',
      message: `retryable: false leaves max_attempts: ${maxAttempts} unused`,
      cure: 'Write max_attempts: 1, or retryable: true.',
    }),
    ...Object.keys(RANGES).map((key) => warnRange(options, key as keyof typeof RANGES)), // its own keys
    ...warnDelays(options),
  ];
}

function warnRange(options: TaskerOptions, key: keyof typeof RANGES): DialectWarning | undefined {
  const given = options[key];
  const [least, most] = RANGES[key];
  if (isUnset(given) || (given >= least && given <= most)) return undefined;
  return {
    code: 'OUT_OF_RANGE',
    path: key,
    message: `a Tasker template accepts ${least} to ${most}; ${given} applies here`,
    cure: `Use ${least} to ${most} if Tasker reads it, too.`,
  };
}

function warnDelays(options: TaskerOptions): readonly (DialectWarning | undefined)[] {
  const { jitter_enabled = true, max_jitter = 0.1, backoff, backoff_base_ms, max_backoff_ms } = options;
  const hasStep = [backoff, backoff_base_ms, max_backoff_ms].some((value) => value !== undefined);
  if (hasStep) return warnStep(options);
  return [
    warnIf(jitter_enabled && max_jitter > 0 && options.max_delay_seconds !== undefined, {
      code: 'JITTER_OVER_CAP',
      path: 'max_delay_seconds',
      message: 'the jitter is added to the capped delay, so a delay may exceed it',
      cure: 'Set jitter_enabled: false, or lower max_delay_seconds by max_jitter.',
    }),
  ];
}

/** Returns a warning for each option that the delays of the step itself do not read. */
function warnStep(options: TaskerOptions): readonly (DialectWarning | undefined)[] {
  const { backoff = 'exponential' } = options;
  const ofStep = 'the delays of the step itself apply';
  const cure = 'Leave it out, or leave backoff, backoff_base_ms and max_backoff_ms out.';
  return [
    warnUnused(options, 'base_delay_seconds', { message: ofStep, cure }),
    warnUnused(options, 'max_delay_seconds', { message: ofStep, cure }),
    ...(backoff === 'exponential'
      ? []
      : [warnUnused(options, 'multiplier', { message: 'it is the factor of exponential', cure: LEAVE_OUT })]),
    ...(backoff === 'none'
      ? [warnUnused(options, 'backoff_base_ms', { message: 'backoff none does not wait', cure: LEAVE_OUT })]
      : []),
  ];
}

const LEAVE_OUT = "Leave it out, or write backoff: 'exponential'.";

function warnUnused(
  options: TaskerOptions,
  path: keyof TaskerOptions,
  texts: Pick<DialectWarning, 'message' | 'cure'>,
): DialectWarning | undefined {
  return warnIf(!isUnset(options[path]), { code: 'WITHOUT_EFFECT', path, ...texts });
}
