import type { BackoffInput } from '../../policy/delays.ts';
import type { Dialect } from '../dialect.ts';
import {
  choice,
  described,
  endlessSeconds,
  integer,
  type Option,
  seconds,
  signedRetries,
  where,
} from '../option.ts';
import { exceptions, TIMEOUTS } from '../read-exceptions.ts';
import { finiteProduct } from '../read-options.ts';
import {
  type JobbersOptions,
  type JobbersStrategy,
  type JobbersVersion,
  warnJobbers,
} from '../seeds/jobbers.ts';
import { constant, defineSystem, exponential, FOLLOWS_SERVER, linear, type System } from '../system.ts';

const VERSIONS: readonly JobbersVersion[] = ['7b5465f', 'main@06fcd8c'];
const STRATEGIES: readonly JobbersStrategy[] = ['constant', 'linear', 'exponential', 'exponential_jitter'];

/** Jobbers: its task options. */
export const jobbers: System = /* @__PURE__ */ defineSystem({
  name: 'jobbers',
  title: 'Jobbers',
  version: 'main',
  fidelity: 'exact',
  options: {
    name: text('a string that is not empty', "Write the name of the task: 'send-email'.", isText),
    version: text(
      'an integer or a string that is not empty',
      'Write the version of the task: 1.',
      isNumbered,
    ),
    jobbers_version: described('name', '7b5465f', 'whose formulas apply', (fields, key) => {
      const named = VERSIONS.find((known) => known === fields.value('version'));
      const chosen = fields.choice(key, named ?? '7b5465f', VERSIONS);
      if (named !== undefined && named !== chosen) {
        fields.fail('version', 'names another version of Jobbers', 'Write the version of the task.');
      }
      return chosen;
    }),
    max_retries: signedRetries(3, 'executions after the first'),
    retry_delay: seconds(undefined, 'the first delay; without it a retry is immediate'),
    backoff_strategy: choice(STRATEGIES, 'exponential', 'how the delays grow'),
    max_retry_delay: endlessSeconds(3_600_000, 'the longest delay, after jitter'),
    expected_exceptions: exceptions('exceptions that are retried; timeouts are in any case'),
    timeout: seconds(undefined, 'of one attempt'),
    max_concurrent: where<number | undefined>(
      null,
      undefined,
      integer(1, 1, 'runs at the same time in one worker; `null`: no limit'),
    ),
    max_heartbeat_interval: seconds(0, 'after which a run is stalled; 0: no limit'),
    on_shutdown: choice(['stop', 'resubmit', 'continue'], 'stop', 'what a run does when its worker stops'),
    dead_letter_policy: choice(['none', 'save'], 'none', 'whether a run that failed finally is kept'),
  },
  policy: ({ retry_delay: base, timeout, ...values }) => ({
    ...FOLLOWS_SERVER,
    maxAttempts: values.max_retries,
    backoff:
      base === undefined
        ? { type: 'none' }
        : backoffOf(values.backoff_strategy, base, values.jobbers_version),
    jitter: base !== undefined && values.backoff_strategy === 'exponential_jitter' ? 'full' : 'none',
    maxDelay: values.max_retry_delay,
    capAt: 'after-jitter',
    retryOn: [...values.expected_exceptions, TIMEOUTS],
    retryTimeouts: true,
    ...(timeout !== undefined && { attemptTimeout: Math.max(1, timeout) }),
  }),
  task: ({ name, version, max_heartbeat_interval, max_concurrent, on_shutdown, dead_letter_policy }) => ({
    ...(name !== undefined && { name: String(name) }),
    ...(version !== undefined &&
      !VERSIONS.some((known) => known === version) && { version: String(version) }),
    ...(max_heartbeat_interval > 0 && { heartbeatMs: max_heartbeat_interval }),
    ...(max_concurrent !== undefined && { maxConcurrent: max_concurrent }),
    onShutdown: on_shutdown,
    onStall: 'hold',
    deadLetter: dead_letter_policy,
    onUnknown: 'drop',
  }),
  warnings: (_values, given) => warnJobbers(given),
});

/**
 * Converts Jobbers' task options to a policy and task options.
 *
 * @throws {InvalidOptionsError} listing every problem under Jobbers' own names
 * @see docs/dialects.md#jobbers
 */
export function fromJobbers(options: JobbersOptions = {}): Dialect {
  return jobbers.from(options);
}

function text(
  must: string,
  cure: string,
  accepts: (value: unknown) => value is number | string,
): Option<number | string | undefined> {
  return described('text', '–', 'of the task', (fields, key) =>
    fields.optional(key, { accepts, message: `must be ${must}`, cure }),
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isNumbered(value: unknown): value is number | string {
  return isText(value) || Number.isInteger(value);
}

/** The delays of the seed commit count retries from 1, those of the newer one from 0. */
function backoffOf(strategy: JobbersStrategy, base: number, version: JobbersVersion): BackoffInput {
  const isSeed = version === '7b5465f';
  if (strategy === 'constant') return constant(base);
  return strategy === 'linear'
    ? linear(isSeed ? base : 0, base)
    : exponential(isSeed ? finiteProduct(base, 2) : base);
}
