import type { Synonyms } from '@retry/core/fields';
import { readOptions } from '@retry/core/fields';
import { missingOptions } from '../errors.ts';
import { TASK_CURES } from './foreign-options.ts';
import type { JsonSafe } from './json.ts';
import { readTask } from './read-task.ts';
import type { StandardSchema } from './schema.ts';
import type { NoPayload, Task, TaskInput } from './task.ts';

const KEYS: readonly (keyof TaskInput<unknown, unknown>)[] = [
  'name',
  'version',
  'run',
  'schema',
  'retry',
  'circuitBreaker',
  'budget',
  'retryShare',
  'rateLimitRetry',
  'rateLimit',
  'globalRateLimit',
  'adapt',
  'heartbeat',
  'maxConcurrent',
  'globalConcurrency',
  'fairness',
  'whenFull',
  'onShutdown',
  'shutdownTimeout',
  'abandonAfter',
  'onStall',
  'onUnknown',
  'minRequeueDelay',
  'maxStalls',
  'maxReleases',
  'deadLetter',
  'maxPayloadBytes',
  'maxResultBytes',
];

/** Names of our keys in other libraries. */
const SYNONYMS: Synonyms = [
  [
    /^(handler?|fn|func|callback|process(or)?|execute|perform|work|job|task)$/,
    'run: async (payload, ctx) => …',
  ],
  [/^((task|job|queue)(Name|Identifier)?|id|type|identifier)$/, 'name'],
  [/^((input|payload|data)(Schema)?|validat(e|or))$/, 'schema'],
  [
    /^(concurrency(Limit)?|max(imum)?(Concurrency|Running)|parallelism|localConcurrency|team(Size|Concurrency)|lockLimit)$/,
    'maxConcurrent for each process, or globalConcurrency for all of them together',
  ],
  [
    /^((rate)?limiter|throttle)$/i,
    "rateLimit: { limit: …, window: '1s' } for each process, or globalRateLimit for all of them together",
  ],
  [/^(dlq|dead_?letter(Queue|Task|Exchange)?)$/i, 'deadLetter: { task: … }'],
  [/^maxStalledCount$/, 'maxStalls'],
  [
    /^((retry|backoff)?(Policy|Options|Config|Settings|Strategy)|retrying|opts|(default)?JobOptions)$/i,
    'retry: { maxAttempts: 5, backoff: … }',
  ],
  [/^(group|fair|fairness_?key|round_?robin|tenant)$/i, 'fairness: (payload) => payload.tenant'],
];

/**
 * Defines a task whose handler has no parameters: nothing can be submitted to it but `null`, which is what is stored without a payload;
 * unless what becomes of the task says that it has one.
 *
 * @throws {InvalidOptionsError} listing every problem with the task and its policies
 */
export function defineTask<
  Result extends JsonSafe<Result>,
  Run extends () => unknown = never,
  Payload = NoPayload,
>(
  input: TaskInput<Payload, Result> & {
    // Of a handler whose parameters have no types nothing is inferred: `never`, and what follows gives them types.
    readonly run: Run & WithoutParameters<Run>;
    readonly schema?: undefined;
  },
): Task<Payload, Result>;
/**
 * Defines a task with a schema, which turns the JSON of a payload into what its handler receives: it may be of any type.
 *
 * @throws {InvalidOptionsError} listing every problem with the task and its policies
 */
export function defineTask<Payload, Result extends JsonSafe<Result>, Submitted = Payload>(
  input: TaskInput<Payload, Result, Submitted> & { readonly schema: StandardSchema<Submitted, Payload> },
): Task<Payload, Result, Submitted>;
/**
 * Defines a task: checks its options and fills in the defaults. Payload and result are stored as JSON, and their types are
 * those that JSON returns: a `Date` is none.
 *
 * @throws {InvalidOptionsError} listing every problem with the task and its policies
 */
export function defineTask<
  Payload extends JsonSafe<Payload>,
  Result extends JsonSafe<Result>,
  Submitted = Payload,
>(input: TaskInput<Payload, Result, Submitted>): Task<Payload, Result, Submitted>;
export function defineTask<Payload, Result, Submitted>(
  input: TaskInput<Payload, Result, Submitted>,
): Task<Payload, Result, Submitted> {
  if (input === undefined) throw missingOptions('task', KEYS);
  const subject = { subject: 'task', keys: KEYS, synonyms: SYNONYMS, cures: TASK_CURES };
  return Object.freeze(
    readOptions(input, subject, (fields, report) => readTask<Payload, Result, Submitted>(fields, report)),
  );
}

/** Refuses a function that is called with something at times: one with an optional parameter, or a mock. */
type WithoutParameters<Run extends () => unknown> = Parameters<Run> extends readonly [] ? unknown : never;
