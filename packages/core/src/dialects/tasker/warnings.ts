import { type DialectWarning, warnIf, warnRunsOnce } from '../dialect.ts';
import { isUnset } from '../read-options.ts';
import type { TaskerOptions } from './options.ts';

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
  const unused = (['base_delay_seconds', 'max_delay_seconds'] as const).find(
    (key) => hasStep && options[key] !== undefined,
  );
  return [
    warnIf(!hasStep && jitter_enabled && max_jitter > 0 && options.max_delay_seconds !== undefined, {
      code: 'JITTER_OVER_CAP',
      path: 'max_delay_seconds',
      message: 'the jitter is added to the capped delay, so a delay may exceed it',
      cure: 'Set jitter_enabled: false, or lower max_delay_seconds by max_jitter.',
    }),
    warnIf(unused !== undefined, {
      code: 'WITHOUT_EFFECT',
      path: unused ?? '',
      message: 'the delays of the step itself apply',
      cure: 'Leave it out, or leave backoff, backoff_base_ms and max_backoff_ms out.',
    }),
  ];
}
