import { MAX_STARTS, MAX_WINDOW_MS, textProblem } from '@retry/core/broker/kit';
import type { RetryBudget } from '@retry/core/budget';
import { CIRCUIT_BREAKER_KEYS, readCircuitBreaker } from '@retry/core/circuit-breaker';
import type { Fields, Report } from '@retry/core/fields';
import { countFrom, hasMethods, isGenerator, isSynchronous, readFields } from '@retry/core/fields';
import { FINITE_ABOVE_0 } from '../option-rules.ts';
import { RATE_SYNONYMS } from './foreign-options.ts';
import { laneOf } from './lane.ts';
import { readRetryPolicy } from './retry-policy.ts';
import type { StandardSchema } from './schema.ts';
import type { AnyTask, Handler, StartLimit, Task } from './task.ts';
import { checkTask, isTask } from './task.ts';

/** The largest payload, and the largest result, in bytes of JSON, where a task does not say otherwise. */
export const MAX_TEXT_BYTES_BY_DEFAULT = 1_048_576;

/** Reads the options of a task, and fills in the defaults. What is wrong is reported. */
export function readTask<Payload, Result, Submitted>(
  fields: Fields,
  report: Report,
): Task<Payload, Result, Submitted> {
  const name = readName(fields, 'name', undefined);
  const version = readName(fields, 'version', '1');
  const lane = laneOf({ name, version });
  checkLane(fields, lane);
  const run = readHandler<Payload, Result>(fields);
  return {
    name,
    version,
    lane,
    run,
    schema: readSchema(fields),
    retry: readRetryPolicy('retry', fields.value('retry'), report),
    circuitBreaker: readBreaker(fields, report),
    budget: fields.optional('budget', A_BUDGET),
    ...readOrder(fields),
    rateLimitRetry: readRetryPolicy('rateLimitRetry', fields.value('rateLimitRetry'), report),
    rateLimit: readRateLimit(fields, report),
    globalRateLimit: readGlobalRateLimit(fields, name, report),
    adapt: fields.choice('adapt', false, [true, false]),
    heartbeatMs: fields.duration('heartbeat', Infinity, MORE_THAN_0),
    shutdownMs: readOptionalDuration(fields, 'shutdownTimeout'),
    abandonMs: readOptionalDuration(fields, 'abandonAfter'),
    minRequeueMs: readOptionalDuration(fields, 'minRequeueDelay', { finite: true }),
    ...readLimits(fields),
    ...readChoices(fields),
    deadLetter: readDeadLetter(fields, report),
  };
}

/** Which of the runs that wait start first. */
function readOrder(fields: Fields): Pick<AnyTask, 'fairness' | 'retryShare'> {
  return {
    fairness: fields.optional('fairness', A_KEY_FUNCTION),
    retryShare: fields.number('retryShare', 1, A_SHARE),
  };
}

type LimitKey =
  | 'maxConcurrent'
  | 'globalConcurrency'
  | 'maxStalls'
  | 'maxReleases'
  | 'maxPayloadBytes'
  | 'maxResultBytes';

function readLimits(fields: Fields): Pick<Task<unknown, unknown>, LimitKey> {
  return {
    maxConcurrent: fields.number('maxConcurrent', Infinity, AT_LEAST_1),
    globalConcurrency: fields.number('globalConcurrency', Infinity, AT_LEAST_1),
    maxStalls: fields.number('maxStalls', 3, AT_LEAST_0),
    maxReleases: fields.number('maxReleases', 100, AT_LEAST_0),
    maxPayloadBytes: fields.number('maxPayloadBytes', MAX_TEXT_BYTES_BY_DEFAULT, AT_LEAST_1),
    maxResultBytes: fields.number('maxResultBytes', MAX_TEXT_BYTES_BY_DEFAULT, AT_LEAST_1),
  };
}

type ChoiceKey = 'whenFull' | 'onShutdown' | 'onStall' | 'onUnknown';

function readChoices(fields: Fields): Pick<Task<unknown, unknown>, ChoiceKey> {
  return {
    whenFull: readWhenFull(fields),
    onShutdown: fields.choice('onShutdown', 'finish', ['finish', 'release', 'stall']),
    onStall: fields.choice('onStall', 'retry', ['retry', 'fail', 'hold']),
    onUnknown: fields.choice('onUnknown', 'wait', ['wait', 'drop']),
  };
}

/**
 * Reads `whenFull`. A task that says when to try again is tried again, unless it says otherwise: options are shared, and switched by one
 * key.
 */
function readWhenFull(fields: Fields): AnyTask['whenFull'] {
  const isRetried = fields.value('rateLimitRetry') !== undefined;
  return fields.choice('whenFull', isRetried ? 'retry' : 'wait', ['wait', 'retry', 'end']);
}

function readDeadLetter(fields: Fields, report: Report): AnyTask['deadLetter'] {
  const given = fields.value('deadLetter');
  if (given === undefined || given === 'save' || given === 'none') return given ?? 'save';
  if (typeof given !== 'object' || given === null || isTask(given)) {
    fields.fail('deadLetter', "must be 'save', 'none' or { task }", 'Use deadLetter: { task: sendRefund }.');
    return 'save';
  }
  const inner = readFields(given, 'deadLetter', { keys: ['task'], report });
  const task = inner?.value('task');
  if (isTask(task)) return { task };
  if (inner !== undefined) checkTask(task, (problem) => report({ ...problem, path: 'deadLetter.task' }));
  return 'save';
}

function readRateLimit(fields: Fields, report: Report): Task<unknown, unknown>['rateLimit'] {
  const given = fields.value('rateLimit');
  if (given === undefined) return undefined;
  const inner = readFields(given, 'rateLimit', {
    keys: ['limit', 'window'],
    synonyms: RATE_SYNONYMS,
    report,
  });
  if (inner === undefined) return undefined;
  return {
    limit: inner.number('limit', undefined, AT_LEAST_0),
    windowMs: inner.duration('window', undefined, FINITE_ABOVE_0),
  };
}

function readGlobalRateLimit(
  fields: Fields,
  name: string,
  report: Report,
): Task<unknown, unknown>['globalRateLimit'] {
  const given = fields.value('globalRateLimit');
  if (given === undefined) return undefined;
  const keys = ['limit', 'window', 'key', 'cost'];
  const inner = readFields(given, 'globalRateLimit', { keys, synonyms: RATE_SYNONYMS, report });
  if (inner === undefined) return undefined;
  const key = inner.value('key') === undefined ? name : inner.value('key');
  const problem = key === name ? undefined : textProblem(key); // a wrong name is reported as such
  if (problem !== undefined) inner.fail('key', problem, 'Leave it out for the name of the task.');
  return {
    key: typeof key === 'string' ? key : '',
    limit: inner.number('limit', undefined, A_START_COUNT),
    windowMs: Math.ceil(inner.duration('window', undefined, A_WINDOW)),
    cost: inner.optional('cost', A_COST),
  };
}

const A_COST = {
  accepts: (value: unknown): value is NonNullable<StartLimit['cost']> => isSynchronous(value),
  message: 'must be a synchronous function',
  cure: 'Use cost: (payload) => payload.tokens, or leave it out: each start counts as 1.',
};

const A_KEY_FUNCTION = {
  accepts: (value: unknown): value is NonNullable<AnyTask['fairness']> => isSynchronous(value),
  message: 'must be a synchronous function',
  cure: 'Use fairness: (payload) => payload.tenant, or leave it out.',
};

const A_START_COUNT = {
  accepts: (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= MAX_STARTS,
  message: 'must be an integer from 1 to 1e9',
  cure: 'Leave globalRateLimit out for no limit; hold the lane for no starts.',
};

const A_WINDOW = {
  finite: true,
  accepts: (ms: number): boolean => ms > 0 && ms <= MAX_WINDOW_MS,
  message: 'must be a duration > 0 of at most 366 days',
};

function readBreaker(fields: Fields, report: Report): Task<unknown, unknown>['circuitBreaker'] {
  const given = fields.value('circuitBreaker');
  if (given === undefined) return undefined;
  const inner = readFields(given, 'circuitBreaker', {
    keys: CIRCUIT_BREAKER_KEYS,
    cures: BREAKER_CURES,
    report,
  });
  return inner && readCircuitBreaker(inner);
}

/** Options of the circuit breaker of calls that a task has no use for. */
const BREAKER_CURES = { onStateChange: "Listen to the event of a worker: worker.on('breaker', listener)." };

const A_SHARE = {
  accepts: (share: number): boolean => share > 0 && share <= 1,
  message: 'must be a number > 0 and ≤ 1',
  cure: 'Use retryShare: 0.1, or leave it out: retries then wait in line with new runs.',
};

const A_BUDGET = {
  accepts: (value: unknown): value is RetryBudget => hasMethods(value, ['allowsRetry', 'record', 'spend']),
  message: 'must be a retry budget',
  cure: 'Use createSharedBudget({ … }) of @retry/inprocess.',
};

/** Validators are objects, or functions (ArkType). */
function readSchema<Payload, Submitted>(fields: Fields): StandardSchema<Submitted, Payload> | undefined {
  const schema = fields.optional('schema', A_SCHEMA);
  return schema as StandardSchema<Submitted, Payload> | undefined; // its types are the caller's claim; only `validate` is used
}

const A_SCHEMA = {
  accepts: (value: unknown): value is StandardSchema => {
    const schema = value as Partial<StandardSchema> | null; // reading a key of any value but null is safe, and null is excluded by ?.
    return typeof schema?.['~standard']?.validate === 'function';
  },
  message: 'must be a Standard Schema',
  cure: 'Use one of Zod, Valibot or ArkType.',
};

/** A generator is refused: its body would never run, because the worker does not iterate over the result. */
function readHandler<Payload, Result>(fields: Fields): Handler<Payload, Result> {
  const run = fields.value('run');
  if (typeof run !== 'function' || isGenerator(run))
    fields.fail('run', `must be a function${isGenerator(run) ? ', not a generator' : ''}`, RUN_CURE);
  return run as Handler<Payload, Result>; // its parameter type is the caller's claim about the payload
}

const RUN_CURE = 'Use run: async (payload, ctx) => …';

function readOptionalDuration(fields: Fields, key: string, rule = {}): number | undefined {
  return fields.value(key) === undefined ? undefined : fields.duration(key, undefined, rule);
}

/** A lane is `name@version`, so neither part may be empty or contain the separator. */
function readName(fields: Fields, key: 'name' | 'version', fallback: string | undefined): string {
  const given = fields.value(key) === undefined ? fallback : fields.value(key);
  const problem = textProblem(given);
  if (problem === undefined && typeof given === 'string' && !given.includes('@')) return given;
  fields.fail(key, problem ?? 'must be text without @', "Use name: 'send-email', version: '2'.");
  return '';
}

/** Name and version may each be as long as a lane, but not both. */
function checkLane(fields: Fields, lane: string): void {
  const problem = textProblem(lane);
  if (problem !== undefined)
    fields.fail('name', `and version together (name@version) ${problem}`, 'Shorten one.');
}

const MORE_THAN_0 = { accepts: (ms: number): boolean => ms > 0, message: 'must be a duration > 0' };

const AT_LEAST_0 = countFrom(0, 'Leave it out for the default.');

const AT_LEAST_1 = countFrom(1, 'Leave it out for the default.');
