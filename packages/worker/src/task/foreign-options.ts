import type { Synonyms } from '@retry/core/fields';

const SERIAL = 'Use concurrency: { key: …, limit: 1 }, and holdWhileRetrying: true to keep the order.';

const TURNS = `For turns use fairness: (payload) => payload.tenant of the task. For one at a time: ${SERIAL}`;

const UNORDERED =
  'Lanes are first in, first out: give urgent work a task of its own, and workers with room for it.';

const SCHEDULE = "Use queue.schedule(id, { task, payload, cron: '30 2 * * *' }), or every: '1h'.";

const FLOW = 'A handler may submit the next task when it has done its part.';

const KEPT =
  'Use keepResult of the submission for its result; how many completed runs are kept is keepCompleted of the broker.';

const ATTEMPT_TIMEOUT =
  "Use retry: { attemptTimeout: '30s' }; lease of the worker finds those that have died.";

const EXPIRY =
  "A run that waits does not expire: let its handler return early; retry: { totalTimeout: '1h' } counts from its first start.";

const WINDOW = "Use unique: { key: …, until: '10s' }, with onConflict: 'replace' to keep the last.";

const OWN_LANE = 'The task says it: a run waits in the lane of its task, name@version.';

const NOTED = 'Put it into the payload; context is for the text of a trace.';

const OF_RUN = "It belongs to a run: queue.submit(task, payload, { key: 'order-7', delay: '5m' }).";

const EVENTS = "Listen to a worker: worker.on('failed', ({ id, error }) => …).";

const OF_BROKER = 'It belongs to the broker: createRedisBroker({ url }) or createPostgresBroker({ url }).';

const GROWING = "Use retry: { backoff: { type: 'exponential', base: '1s' } }.";

/** A cure for each of the names, which the options of a call do not have. */
type Cures = Readonly<Record<string, string>>;

function cures(rows: readonly (readonly [names: string, cure: string])[]): Cures {
  return Object.fromEntries(rows.flatMap(([names, cure]) => names.split(' ').map((name) => [name, cure])));
}

/** What is said of an option that other queues take for a job and that has no counterpart of another name in `queue.submit`. */
export const SUBMIT_CURES: Cures = cures([
  ['priority lifo', UNORDERED],
  ['removeOnComplete removeOnSuccess retentionSeconds retentionMinutes retentionHours retentionDays', KEPT],
  ['deleteAfterSeconds keepUntil', KEPT],
  ['removeOnFail', "Use deadLetter: 'none' of the task, or deadLetters.discard."],
  ['deadLetter deadLetterQueue', "Use deadLetter of the task: deadLetter: { task: … } or 'none'."],
  ['retryBackoff', GROWING],
  ['timeoutMs expireIn expireInSeconds expireInMinutes expireInHours lockLifetime', ATTEMPT_TIMEOUT],
  ['ttl expires expiresAt expiration', EXPIRY],
  ['heartbeatSeconds', 'Use lease of the worker, or heartbeat of the task for the handler itself.'],
  ['group groupId tenant', TURNS],
  ['queueName concurrencyKey serialKey', SERIAL],
  ['name queue prefix', OWN_LANE],
  ['singletonSeconds singletonMinutes singletonHours debounce throttle', WINDOW],
  ['jobKeyMode', "Use unique: { key: …, onConflict: 'replace' or 'keep' }."],
  ['repeat repeatable repeatEvery repeatInterval cron schedule skipImmediate repeatTimezone', SCHEDULE],
  ['parent children dependencies failParentOnFailure removeDependencyOnFailure', FLOW],
  ['metadata meta headers tags labels', NOTED],
  ['traceparent traceContext telemetry', 'Use context: the text of a traceparent.'],
  ['sizeLimit', 'Use maxPayloadBytes of the task.'],
  ['rateLimiterKey', "Use globalRateLimit: { limit: …, window: '1s', key: … } of the task."],
]);

/** What is said of an option of other libraries that `defineTask` does not have. */
export const TASK_CURES: Cures = cures([
  ['priority lifo', UNORDERED],
  ['timeout timeoutMs', "Use retry: { attemptTimeout: '30s' }."],
  ['expireInSeconds lockLifetime lockDuration', ATTEMPT_TIMEOUT],
  ['heartbeatSeconds', "Use heartbeat: '30s' for the handler itself, or lease of the worker."],
  ['retryBackoff', GROWING],
  ['cron every repeat schedule', SCHEDULE],
  ['key jobId jobKey unique singleton singletonKey idempotencyKey dedupe deduplication debounce', OF_RUN],
  ['runAt startAfter keepResult', OF_RUN],
  ['removeOnComplete removeOnFail retentionSeconds deleteAfterSeconds', KEPT],
  ['onFailure onFailed onError onSuccess onComplete onCompleted', EVENTS],
  ['connection redis prefix', OF_BROKER],
  ['batchSize', 'A handler gets one run at a time; prefetch of the worker claims several.'],
  ['ttl expiresIn expires', EXPIRY],
  ['middleware hooks', 'Wrap run: run: (payload, ctx) => measured(() => send(payload, ctx)).'],
]);

/** What is said of an option of other libraries that `createWorker` does not have. */
export const WORKER_CURES: Cures = cures([
  [
    'limiter rateLimit rateLimiter',
    "It belongs to a task: defineTask({ rateLimit: { limit: 10, window: '1s' } }).",
  ],
  [
    'retry backoff attempts retries timeout',
    'It belongs to a task: defineTask({ retry: { maxAttempts: 5 } }).',
  ],
  ['maxStalledCount', 'It belongs to a task: defineTask({ maxStalls: 3 }).'],
  ['heartbeat heartbeatInterval heartbeatSeconds', 'Use lease: a heartbeat is sent three times in each.'],
  ['cron crontab crontabFile parsedCronItems schedule schedules', SCHEDULE],
  ['autorun runOnInit', 'Call worker.start() when it is to begin.'],
  ['onError onFailed onCompleted errorHandler logger logging log events', EVENTS],
  ['prefix schema maxPoolSize max', OF_BROKER],
  ['removeOnComplete removeOnFail', 'Use keepCompleted and keepDead of the broker.'],
]);

/** What is said of an option of other libraries that `createQueue` does not have. */
export const QUEUE_CURES: Cures = cures([
  ['prefix name schema', OF_BROKER],
  ['limiter defaultJobOptions', 'It belongs to a task: defineTask({ … }).'],
]);

/** Names of a broker in other libraries. */
export const BROKER_NAMES: RegExp =
  /^(connection(String)?|redis|client|url|db|pool|pgPool|mongo|store|storage|adapter|queue)$/;

/** What is said of an option of other libraries that `queue.schedule` does not have. */
export const SCHEDULE_CURES: Cures = cures([
  ['id name key jobId identifier', "It is the first argument: queue.schedule('nightly', { … })."],
  ['delay runAt startAfter', 'For one run use queue.submit(task, payload, { runAt: … }).'],
  ['limit count', 'Use until: the instant after which it does not fire.'],
  ['attempts retry retries backoff timeout deadLetter', 'It belongs to the task: defineTask({ … }).'],
  ['immediately immediate skipImmediate', 'An interval first fires at from: from: Date.now() is at once.'],
  ['utc', "Leave it out: timeZone is 'UTC' unless you write another."],
  [
    'unique singleton singletonKey deduplication noOverlap preventOverrun',
    'Let it submit a small task, whose handler submits the long one with unique: { key: … }.',
  ],
  ['concurrency maxConcurrent', 'For one at a time use globalConcurrency: 1 of the task.'],
]);

/** Names of the keys of `rateLimit` and `globalRateLimit` in other libraries. */
export const RATE_SYNONYMS: Synonyms = [
  [/^(max|count|requests|points|tokens|capacity)$/, 'limit'],
  [/^(duration|per|interval|period|timeframe|every|refillInterval)$/, "window: '1s'"],
];
