import type { Fields, Report } from '../../fields/fields.ts';
import type { Matcher } from '../../matching/matcher.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import type { BackoffInput, PolicyInput } from '../../policy/policy.ts';
import { type Dialect, dialectOf, type TaskOptions } from '../dialect.ts';
import { readExceptions, TIMEOUTS } from '../read-exceptions.ts';
import {
  attemptsOf,
  finiteProduct,
  isUnset,
  readInteger,
  readOptions,
  readSeconds,
} from '../read-options.ts';
import { JOBBERS_KEYS, type JobbersOptions, type JobbersStrategy, type JobbersVersion } from './options.ts';
import { warnJobbers } from './warnings.ts';

const VERSIONS: readonly JobbersVersion[] = ['7b5465f', 'main@06fcd8c'];
const STRATEGIES: readonly JobbersStrategy[] = ['constant', 'linear', 'exponential', 'exponential_jitter'];

/**
 * Converts Jobbers' task options to a policy and task options.
 *
 * @throws {InvalidOptionsError} listing every problem under Jobbers' own names
 * @see docs/dialects.md#jobbers
 */
export function fromJobbers(options: JobbersOptions = {}): Dialect {
  const { input, task } = readOptions(options, { keys: JOBBERS_KEYS }, (fields, report) => ({
    input: readPolicy(fields, report),
    task: readTask(fields),
  }));
  return dialectOf(definePolicy(input), task, warnJobbers(options));
}

function readPolicy(fields: Fields, report: Report): PolicyInput {
  const expected: readonly Matcher[] = readExceptions(fields, 'expected_exceptions', report);
  return {
    maxAttempts: attemptsOf(readInteger(fields, 'max_retries', 3)),
    ...readDelays(fields),
    maxDelay: readSeconds(fields, 'max_retry_delay', 3_600, { finite: false }),
    capAt: 'after-jitter',
    retryOn: [...expected, TIMEOUTS],
    retryTimeouts: true,
    ...(!isUnset(fields.value('timeout')) && {
      attemptTimeout: Math.max(1, readSeconds(fields, 'timeout', 1)),
    }),
  };
}

function readDelays(fields: Fields): Pick<PolicyInput, 'backoff' | 'jitter'> {
  const strategy = fields.choice('backoff_strategy', 'exponential', STRATEGIES);
  const version = readArithmetic(fields);
  if (isUnset(fields.value('retry_delay'))) return { backoff: { type: 'none' }, jitter: 'none' };

  const base = readSeconds(fields, 'retry_delay', 0);
  const jitter = strategy === 'exponential_jitter' ? 'full' : 'none';
  return { backoff: backoffOf(strategy, base, version), jitter };
}

/** Returns the version of Jobbers whose formulas apply; if both keys name one, they must be equal. */
function readArithmetic(fields: Fields): JobbersVersion {
  const named = VERSIONS.find((known) => known === fields.value('version'));
  const chosen = fields.choice('jobbers_version', named ?? '7b5465f', VERSIONS);
  if (named !== undefined && named !== chosen) {
    fields.fail('version', 'names another version of Jobbers', 'Write the version of the task.');
  }
  return chosen;
}

/** Returns the name and the version of the task, if they are set. */
function readIdentity(fields: Fields): Pick<TaskOptions, 'name' | 'version'> {
  const name = fields.optional('name', A_NAME);
  const version = fields.optional('version', A_VERSION);
  return {
    ...(name !== undefined && { name }),
    ...(version !== undefined && !isVersion(version) && { version: String(version) }),
  };
}

const A_NAME = {
  accepts: (value: unknown): value is string => typeof value === 'string' && value !== '',
  message: 'must be a string that is not empty',
  cure: "Write the name of the task: 'send-email'.",
};

const A_VERSION = {
  accepts: (value: unknown): value is number | string =>
    (typeof value === 'string' && value !== '') || (typeof value === 'number' && Number.isInteger(value)),
  message: 'must be an integer or a string that is not empty',
  cure: 'Write the version of the task: 1.',
};

function isVersion(value: unknown): value is JobbersVersion {
  return VERSIONS.some((known) => known === value);
}

/** The delays of the seed commit count retries from 1, those of the newer one from 0. */
function backoffOf(strategy: JobbersStrategy, base: number, version: JobbersVersion): BackoffInput {
  const isSeed = version === '7b5465f';
  switch (strategy) {
    case 'constant':
      return { type: 'constant', base };
    case 'linear':
      return { type: 'linear', base: isSeed ? base : 0, increment: base };
    case 'exponential':
    case 'exponential_jitter':
      return { type: 'exponential', base: isSeed ? finiteProduct(base, 2) : base, factor: 2 };
  }
}

function readTask(fields: Fields): TaskOptions {
  const { value } = fields;
  const heartbeatMs = readSeconds(fields, 'max_heartbeat_interval', 0);
  return {
    ...readIdentity(fields),
    ...(heartbeatMs > 0 && { heartbeatMs }),
    ...(value('max_concurrent') !== null && { maxConcurrent: readInteger(fields, 'max_concurrent', 1, 1) }),
    onShutdown: fields.choice('on_shutdown', 'stop', ['stop', 'resubmit', 'continue']),
    onStall: 'hold',
    deadLetter: fields.choice('dead_letter_policy', 'none', ['none', 'save']),
    onUnknown: 'drop',
  };
}
