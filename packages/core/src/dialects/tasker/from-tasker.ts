import { computeDelay } from '../../delay/compute-delay.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import type { BackoffInput, DelayContext, PolicyInput } from '../../policy/policy.ts';
import { type Dialect, dialectOf } from '../dialect.ts';
import { finiteProduct, readOptions } from '../read-options.ts';
import { readTasker, TASKER_KEYS, type TaskerOptions, type TaskerSettings } from './options.ts';
import { warnTasker } from './warnings.ts';

/**
 * Converts Tasker's retry block and backoff configuration to a policy.
 *
 * A step with `backoff`, `backoff_base_ms` or `max_backoff_ms` gets delays by these options. Tasker itself validates them
 * but computes every delay from its configuration, as this function does for all other steps.
 *
 * @throws {InvalidOptionsError} listing every problem under Tasker's own names
 * @see docs/dialects.md#tasker
 */
export function fromTasker(options: TaskerOptions = {}): Dialect {
  const settings = readOptions(options, { keys: TASKER_KEYS }, readTasker);
  const { step, maxAttempts, isRetryable } = settings;
  const policy = definePolicy({
    maxAttempts,
    retryable: isRetryable,
    ...(step === undefined ? calculatorDelays(settings, settings.multiplier) : stepDelays(settings, step)),
    retryAfter: { mode: 'replace', max: step?.maxMs ?? settings.maxMs, beyondMax: 'clamp', jitter: 'none' },
  });
  return dialectOf(policy, {}, warnTasker(options));
}

/**
 * Returns the delay of Tasker's backoff calculator after a number of executions, which may be 0.
 *
 * @param attempts - executions so far, including the one that has just failed; unset counts as 0
 * @returns milliseconds, a whole number of seconds
 */
export function taskerDelay(
  options: TaskerOptions,
  attempts: number | null | undefined,
  context: DelayContext,
): number {
  const settings = readOptions(options, { keys: TASKER_KEYS }, readTasker);
  // The base has no multiplier here, so retry n has the power n - 1.
  return computeDelay(definePolicy(calculatorDelays(settings, 1)), (attempts ?? 0) + 1, context);
}

/** The claim counts the execution before its failure is handled, so the first retry waits base × multiplier. */
function calculatorDelays(settings: TaskerSettings, first: number): PolicyInput {
  const { baseMs, maxMs, multiplier, jitter } = settings;
  return {
    backoff: { type: 'exponential', base: finiteProduct(baseMs, first), factor: multiplier },
    jitter: jitter === 0 ? 'none' : { proportional: jitter },
    maxDelay: maxMs,
    // The jitter is added to the capped delay: up to a tenth more than max_delay_seconds.
    capAt: 'ignores-jitter',
    granularity: 1_000,
  };
}

/** The step's own delays: capped with their jitter, and in milliseconds. */
function stepDelays(settings: TaskerSettings, step: NonNullable<TaskerSettings['step']>): PolicyInput {
  const { jitter } = settings;
  return {
    backoff: stepBackoff(settings, step),
    jitter: jitter === 0 || step.backoff === 'none' ? 'none' : { proportional: jitter },
    maxDelay: step.maxMs,
    capAt: 'before-jitter',
  };
}

function stepBackoff(
  { multiplier }: TaskerSettings,
  { backoff, baseMs }: NonNullable<TaskerSettings['step']>,
): BackoffInput {
  switch (backoff) {
    case 'none':
      return { type: 'none' };
    case 'linear':
      return { type: 'linear', base: baseMs };
    case 'exponential':
      return { type: 'exponential', base: baseMs, factor: multiplier };
    case 'fibonacci':
      return { type: 'fibonacci', base: baseMs };
  }
}
