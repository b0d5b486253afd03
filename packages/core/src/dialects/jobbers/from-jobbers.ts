import type { Fields, Report } from '../../fields/fields.ts';
import type { Matcher } from '../../matching/matcher.ts';
import { definePolicy } from '../../policy/define-policy.ts';
import type { BackoffInput, PolicyInput } from '../../policy/policy.ts';
import { type Dialect, dialectOf, type TaskOptions } from '../dialect.ts';
import { type ExceptionLike, readExceptions, TIMEOUTS } from '../read-exceptions.ts';
import { attemptsOf, isUnset, readInteger, readOptions, readSeconds } from '../read-options.ts';
import { warnJobbers } from './warnings.ts';

/** `7b5465f` is the commit of the seed document: it counts the first retry as 1, the newer one as 0. */
export type JobbersVersion = '7b5465f' | 'main@06fcd8c';

/** How Jobbers' delays grow. */
export type JobbersStrategy = 'constant' | 'linear' | 'exponential' | 'exponential_jitter';

/** Jobbers' task options that have to do with retrying; seconds. */
export interface JobbersOptions {
  /** The task's name. */
  readonly name?: string;
  /** The task's version. A {@link JobbersVersion} is none: it stands for `jobbers_version`. */
  readonly version?: number | string;
  /** Whose arithmetic holds. @default '7b5465f' */
  readonly jobbers_version?: JobbersVersion;
  /** Retries, not counting the first run. @default 3 */
  readonly max_retries?: number;
  /** Seconds; `null` is straight back into the queue. @default null */
  readonly retry_delay?: number | null;
  /** @default 'exponential' */
  readonly backoff_strategy?: JobbersStrategy;
  /** Longest delay in seconds, cut after the jitter. @default 3600 */
  readonly max_retry_delay?: number;
  /** Exceptions that are retried; empty or `null` is none. Timeouts are retried in any case. @default null */
  readonly expected_exceptions?: readonly ExceptionLike[] | null;
  /** Seconds that one run may take; `null` is no limit. Less than 0.001 is that: there it is over at once. @default null */
  readonly timeout?: number | null;
  /** Runs at once in one worker; `null` is no limit. @default 1 */
  readonly max_concurrent?: number | null;
  /** Seconds between two heartbeats after which a run is stalled; `null` and 0 are never. @default null */
  readonly max_heartbeat_interval?: number | null;
  /** @default 'stop' */
  readonly on_shutdown?: 'stop' | 'resubmit' | 'continue';
  /** @default 'none' */
  readonly dead_letter_policy?: 'none' | 'save';
}

const KEYS = [
  ...[
    'name',
    'version',
    'jobbers_version',
    'max_retries',
    'retry_delay',
    'backoff_strategy',
    'max_retry_delay',
  ],
  ...['expected_exceptions', 'timeout', 'max_concurrent', 'max_heartbeat_interval'],
  ...['on_shutdown', 'dead_letter_policy'],
];
const VERSIONS: readonly JobbersVersion[] = ['7b5465f', 'main@06fcd8c'];
const STRATEGIES: readonly JobbersStrategy[] = ['constant', 'linear', 'exponential', 'exponential_jitter'];

/**
 * Jobbers' task options as a policy and task options.
 *
 * @throws {InvalidOptionsError} when anything is wrong; it lists every problem under Jobbers' own names
 * @see docs/dialects.md#jobbers
 */
export function fromJobbers(options: JobbersOptions = {}): Dialect {
  const { input, task } = readOptions(options, KEYS, (fields, report) => ({
    input: readPolicy(fields, report),
    task: readTask(fields),
  }));
  const { timeoutMs } = task;
  const policy = definePolicy({ ...input, ...(timeoutMs !== undefined && { attemptTimeout: timeoutMs }) });
  return dialectOf(policy, task, warnJobbers(options));
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

/** Which of Jobbers' versions is meant: both keys are looked at, and have to agree. */
function readArithmetic(fields: Fields): JobbersVersion {
  const named = VERSIONS.find((known) => known === fields.value('version'));
  const chosen = fields.choice('jobbers_version', named ?? '7b5465f', VERSIONS);
  if (named !== undefined && named !== chosen) {
    fields.fail('version', 'names another version of Jobbers', 'Write the version of the task.');
  }
  return chosen;
}

/** The name and version of the task itself, as far as they are written. */
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
  message: 'must be text that is not empty',
  cure: "Write the name of the task: 'send-email'.",
};

const A_VERSION = {
  accepts: (value: unknown): value is number | string =>
    (typeof value === 'string' && value !== '') || (typeof value === 'number' && Number.isInteger(value)),
  message: 'must be an integer or text that is not empty',
  cure: 'Write the version of the task: 1.',
};

function isVersion(value: unknown): value is JobbersVersion {
  return VERSIONS.some((known) => known === value);
}

/** The seed commit multiplies by the retry's number, counted from 1; the newer one counts it from 0. */
function backoffOf(strategy: JobbersStrategy, base: number, version: JobbersVersion): BackoffInput {
  const isSeed = version === '7b5465f';
  switch (strategy) {
    case 'constant':
      return { type: 'constant', base };
    case 'linear':
      return { type: 'linear', base: isSeed ? base : 0, increment: base };
    case 'exponential':
    case 'exponential_jitter':
      return { type: 'exponential', base: isSeed ? base * 2 : base, factor: 2 };
  }
}

function readTask(fields: Fields): TaskOptions {
  const { value } = fields;
  const heartbeatMs = readSeconds(fields, 'max_heartbeat_interval', 0);
  return {
    ...readIdentity(fields),
    ...(!isUnset(value('timeout')) && { timeoutMs: Math.max(1, readSeconds(fields, 'timeout', 1)) }),
    ...(heartbeatMs > 0 && { heartbeatMs }),
    ...(value('max_concurrent') !== null && { maxConcurrent: readInteger(fields, 'max_concurrent', 1, 1) }),
    onShutdown: fields.choice('on_shutdown', 'stop', ['stop', 'resubmit', 'continue']),
    onStall: 'hold',
    deadLetter: fields.choice('dead_letter_policy', 'none', ['none', 'save']),
    onUnknown: 'drop',
  };
}
