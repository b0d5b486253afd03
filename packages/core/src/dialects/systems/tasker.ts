import { computeDelay } from '../../delay/compute-delay.ts';
import { A_SHARE } from '../../fields/value-rules.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import type { BackoffInput } from '../../policy/delays.ts';
import type { PolicyInput } from '../../policy/policy.ts';
import type { DelayContext } from '../../policy/strategy.ts';
import type { Dialect } from '../dialect.ts';
import {
  choice,
  described,
  factor,
  flag,
  ifSet,
  type Option,
  seconds,
  type ValuesOf,
  value,
  valuesOf,
} from '../option.ts';
import { finiteProduct, readOptions } from '../read-options.ts';
import { type TaskerOptions, warnTasker } from '../seeds/tasker.ts';
import { defineSystem, exponential, linear, type System } from '../system.ts';

const OPTIONS = {
  max_attempts: value(
    { unit: 'executions', parse: asExecutions, must: 'an integer' },
    3,
    'all executions; 0 counts as 1',
  ),
  retryable: ifSet(flag(true, '`false`: one execution')),
  backoff: ifSet(
    choice(['none', 'linear', 'exponential', 'fibonacci'], 'exponential', 'how the delays of the step grow'),
  ),
  backoff_base_ms: milliseconds(1_000, 'the first delay of the step'),
  max_backoff_ms: milliseconds(30_000, 'its longest delay'),
  base_delay_seconds: seconds(1_000, 'of the configuration: the first retry waits this, multiplied once'),
  max_delay_seconds: seconds(300_000, 'its longest delay'),
  multiplier: factor(2, 'what each delay is multiplied by'),
  jitter_enabled: flag(true, 'whether a delay is spread'),
  max_jitter: described('share', '0.1', 'by what part of itself', (fields, key) =>
    fields.number(key, 0.1, {
      accepts: A_SHARE.accepts,
      message: 'must be a share from 0 to 1',
      cure: 'Write 0.1 for ± 10 %.',
    }),
  ),
};

type Values = ValuesOf<typeof OPTIONS>;

/** Tasker: the retry block of a step, and the configuration of its backoff calculator. */
export const tasker: System = /* @__PURE__ */ defineSystem({
  name: 'tasker',
  title: 'Tasker',
  version: '0.1',
  fidelity: 'exact',
  options: OPTIONS,
  policy: (values) => ({
    maxAttempts: values.max_attempts,
    retryable: values.retryable ?? true,
    ...(hasStep(values) ? stepDelays(values) : calculatorDelays(values, values.multiplier)),
    retryAfter: {
      mode: 'replace',
      max: hasStep(values) ? (values.max_backoff_ms ?? 30_000) : values.max_delay_seconds,
      beyondMax: 'clamp',
      jitter: 'none',
    },
  }),
  warnings: (_values, given) => warnTasker(given),
});

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
  return tasker.from(options);
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
  const keys = Object.keys(OPTIONS);
  const values = readOptions(options, { keys }, (fields, report) => valuesOf(OPTIONS, fields, report));
  // The base has no multiplier here, so retry n has the power n - 1.
  return computeDelay(definePolicy(calculatorDelays(values, 1)), (attempts ?? 0) + 1, context);
}

function hasStep({ backoff, backoff_base_ms, max_backoff_ms }: Values): boolean {
  return [backoff, backoff_base_ms, max_backoff_ms].some((value) => value !== undefined);
}

/** The claim counts the execution before its failure is handled, so the first retry waits base × multiplier. */
function calculatorDelays(values: Values, first: number): PolicyInput {
  return {
    backoff: exponential(finiteProduct(values.base_delay_seconds, first), values.multiplier),
    jitter: jitterOf(values),
    maxDelay: values.max_delay_seconds,
    // The jitter is added to the capped delay: up to a tenth more than max_delay_seconds.
    capAt: 'ignores-jitter',
    granularity: 1_000,
  };
}

/** The step's own delays: capped with their jitter, and in milliseconds. */
function stepDelays(values: Values): PolicyInput {
  return {
    backoff: stepBackoff(values),
    jitter: values.backoff === 'none' ? 'none' : jitterOf(values),
    maxDelay: values.max_backoff_ms ?? 30_000,
    capAt: 'before-jitter',
  };
}

function stepBackoff({
  backoff = 'exponential',
  backoff_base_ms: base = 1_000,
  multiplier,
}: Values): BackoffInput {
  switch (backoff) {
    case 'none':
      return { type: 'none' };
    case 'linear':
      return linear(base);
    case 'exponential':
      return exponential(base, multiplier);
    case 'fibonacci':
      return { type: 'fibonacci', base };
  }
}

function jitterOf({ jitter_enabled, max_jitter }: Values): PolicyInput['jitter'] {
  return jitter_enabled && max_jitter > 0 ? { proportional: max_jitter } : 'none';
}

function asExecutions(written: unknown): number | undefined {
  return Number.isInteger(written) ? Math.max(1, Number(written)) : undefined;
}

function milliseconds(fallback: number, meaning: string): Option<number | undefined> {
  return ifSet(
    described('ms', String(fallback), meaning, (fields, key) =>
      fields.duration(key, fallback, { finite: true }),
    ),
  );
}
