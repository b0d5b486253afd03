import type { Problem } from '@retry/core';
import { definePolicy, PolicyError } from '@retry/core';
import type { Fields } from '@retry/core/fields';
import { readFields } from '@retry/core/fields';
import { readRetryPolicy } from './read-retry-policy.ts';
import type { StandardSchema } from './standard-schema.ts';
import type { Task, TaskInput } from './task.ts';

const KEYS: readonly (keyof TaskInput<unknown, unknown>)[] = [
  'name',
  'version',
  'run',
  'schema',
  'retry',
  'rateLimitRetry',
  'rateLimit',
  'timeout',
  'heartbeat',
  'maxConcurrent',
  'globalConcurrency',
  'whenLimited',
  'onShutdown',
  'onStall',
  'maxStalls',
  'deadLetter',
  'maxPayloadBytes',
];

const ONE_MIB = 1_048_576;

/**
 * Checks a task once and fills in its defaults.
 *
 * @throws {PolicyError} when anything is wrong with the task or its policies; it lists every problem
 */
export function defineTask<Payload, Result, Submitted = Payload>(
  input: TaskInput<Payload, Result, Submitted>,
): Task<Payload, Result, Submitted> {
  const problems: Problem[] = [];
  const report = (problem: Problem): void => void problems.push(problem);
  const fields = readFields(input, '', { keys: KEYS, report });
  const task = fields && readTask(input, fields, report);
  if (task === undefined || problems.length > 0) throw new PolicyError(problems);
  return Object.freeze(task);
}

function readTask<Payload, Result, Submitted>(
  input: TaskInput<Payload, Result, Submitted>,
  fields: Fields,
  report: (problem: Problem) => void,
): Task<Payload, Result, Submitted> {
  const name = readName(fields, 'name', undefined);
  const version = readName(fields, 'version', '1');
  if (typeof input.run !== 'function')
    fields.fail('run', 'must be a function', 'Use run: async (payload, ctx) => …');
  const retry = readRetryPolicy('retry', input.retry, report) ?? definePolicy();
  return {
    name,
    version,
    lane: `${name}@${version}`,
    run: input.run,
    schema: readSchema(input.schema, fields),
    retry,
    rateLimitRetry: readRetryPolicy('rateLimitRetry', input.rateLimitRetry, report) ?? definePolicy(),
    rateLimit: readRateLimit(fields, report),
    timeoutMs: fields.duration('timeout', retry.attemptTimeoutMs, MORE_THAN_0),
    heartbeatMs: fields.duration('heartbeat', Infinity, MORE_THAN_0),
    ...readLimits(fields),
    ...readChoices(fields),
  };
}

type LimitKey = 'maxConcurrent' | 'globalConcurrency' | 'maxStalls' | 'maxPayloadBytes';

function readLimits(fields: Fields): Pick<Task<unknown, unknown>, LimitKey> {
  return {
    maxConcurrent: fields.number('maxConcurrent', Infinity, AT_LEAST_1),
    globalConcurrency: fields.number('globalConcurrency', Infinity, AT_LEAST_1),
    maxStalls: fields.number('maxStalls', 3, AT_LEAST_0),
    maxPayloadBytes: fields.number('maxPayloadBytes', ONE_MIB, AT_LEAST_1),
  };
}

type ChoiceKey = 'whenLimited' | 'onShutdown' | 'onStall' | 'deadLetter';

function readChoices(fields: Fields): Pick<Task<unknown, unknown>, ChoiceKey> {
  return {
    whenLimited: fields.choice('whenLimited', 'wait', ['wait', 'retry', 'end']),
    onShutdown: fields.choice('onShutdown', 'resubmit', ['resubmit', 'stop', 'continue']),
    onStall: fields.choice('onStall', 'retry', ['retry', 'fail', 'hold']),
    deadLetter: fields.choice('deadLetter', 'save', ['save', 'none']),
  };
}

function readRateLimit(
  fields: Fields,
  report: (problem: Problem) => void,
): Task<unknown, unknown>['rateLimit'] {
  const given = fields.value('rateLimit');
  if (given === undefined) return undefined;
  const inner = readFields(given, 'rateLimit', { keys: ['limit', 'window'], report });
  if (inner === undefined) return undefined;
  return {
    limit: inner.number('limit', undefined, AT_LEAST_0),
    windowMs: inner.duration('window', undefined, { finite: true }),
  };
}

/** Validators are objects, or functions (ArkType). */
function readSchema<Payload, Submitted>(
  schema: StandardSchema<Submitted, Payload> | undefined,
  fields: Fields,
): StandardSchema<Submitted, Payload> | undefined {
  const isSound = schema === undefined || typeof schema?.['~standard']?.validate === 'function';
  if (!isSound) fields.fail('schema', 'must be a Standard Schema', 'Use one of Zod, Valibot or ArkType.');
  return schema;
}

/** A lane is `name@version`, so neither may be empty nor hold the sign between them. */
function readName(fields: Fields, key: 'name' | 'version', fallback: string | undefined): string {
  const given = fields.value(key) ?? fallback;
  if (typeof given === 'string' && given !== '' && !given.includes('@')) return given;
  fields.fail(key, 'must be text without @', "Use name: 'send-email', version: '2'.");
  return '';
}

const MORE_THAN_0 = { accepts: (ms: number): boolean => ms > 0, message: 'must be a duration > 0' };

const AT_LEAST_0 = {
  accepts: (count: number): boolean => count >= 0 && (Number.isInteger(count) || count === Infinity),
  message: 'must be an integer ≥ 0 or Infinity',
  cure: 'Leave it out for the default.',
};

const AT_LEAST_1 = {
  ...AT_LEAST_0,
  accepts: (count: number): boolean => count >= 1 && AT_LEAST_0.accepts(count),
  message: 'must be an integer ≥ 1 or Infinity',
};
