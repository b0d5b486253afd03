import type { PolicyKey } from '../policy/policy.ts';

/** The keys of a policy, in the order in which errors list them. */
export const POLICY_KEYS: readonly PolicyKey[] = [
  'maxAttempts',
  'initialDelay',
  'backoff',
  'jitter',
  'minDelay',
  'maxDelay',
  'capAt',
  'granularity',
  'retryOn',
  'stopOn',
  'retryIf',
  'attemptTimeout',
  'totalTimeout',
  'retryTimeouts',
  'retryAfter',
  'retryable',
];

/** What people write out of habit from other libraries, and where it belongs here. */
const HABITS: readonly (readonly [keys: RegExp, cure: string])[] = [
  [
    /^(minTimeout|delay|wait|base|baseDelay|retryDelay|retryDelays|interval)$/,
    "Use backoff: { type: 'constant', base: … }.",
  ],
  [/^(factor|multiplier|exponent)$/, "Use backoff: { type: 'exponential', base: …, factor: … }."],
  [/^(maxTimeout|maxBackoff|maxWait|backoffLimit|retryDelayMax|maxRetryDelay)$/, 'Use maxDelay.'],
  [/^(maxRetryTime|maxDuration|deadline|maxElapsedTime)$/, 'Use totalTimeout.'],
  [/^timeout$/, 'Use attemptTimeout for one attempt, or totalTimeout for all of them.'],
  [/^(shouldRetry|retryOnError|when)$/, 'Use retryIf.'],
  [
    /^(signal|unref|on[A-Z]\w*|beforeRetry)$/,
    'It is an option of withRetry(fn, policy, options), not of the policy.',
  ],
];

/** Counts of what comes after the first execution. */
const RETRY_COUNT =
  /^(retries|maxRetries|retryLimit|limit|retryCount|retryAttempts|maxRetryAttempts|maxRetryCount|numRetries|numberOfRetries)$/;

/** Counts of all executions, as ours is. */
const ATTEMPT_COUNT =
  /^(attempts|tries|numOfAttempts|maxTries|maxAttempt|numAttempts|attemptLimit|stopAfterAttempt)$/;

/** What others call keys of ours. */
export type Synonyms = readonly (readonly [keys: RegExp, ours: string])[];

/** The keys that there are, and what others call them. */
export interface KnownKeys {
  readonly keys: readonly string[];
  readonly synonyms?: Synonyms;
}

/** What to write instead of a key that does not exist. */
export function cureForKey(key: string, value: unknown, { keys: known, synonyms = [] }: KnownKeys): string {
  const camel = key.replace(/_+([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const isPolicy = known.includes('maxAttempts');
  if (isPolicy && camel === 'maxAttempts') return countCure(value, 0);
  if (camel !== key && known.includes(camel)) return `Use ${camel}.`;
  if (isPolicy && ATTEMPT_COUNT.test(camel)) return countCure(value, 0);
  if (isPolicy && RETRY_COUNT.test(camel)) return countCure(value, 1);
  if (known.includes('retry') && isCount(camel)) {
    return `It belongs into retry. ${countCure(value, RETRY_COUNT.test(camel) ? 1 : 0)}`;
  }
  const bare = camel.replace(/Ms$/, '');
  if (bare !== camel && known.includes(bare)) {
    // A policy that was spread has these keys.
    return `Use ${bare}: it takes milliseconds or text like '2s'.${isPolicy ? ' extendPolicy changes a policy.' : ''}`;
  }

  const synonym = synonyms.find(([keys, ours]) => keys.test(camel) && known.includes(ours));
  if (synonym !== undefined) return `Use ${synonym[1]}.`;
  const habit = isPolicy ? HABITS.find(([keys]) => keys.test(camel)) : undefined;
  return habit?.[1] ?? `${elsewhere(key)}Known keys are ${known.join(', ')}.`;
}

/** `maxAttempts` among the options of a call is the usual mistake. */
function elsewhere(key: string): string {
  return POLICY_KEYS.some((own) => own === key) ? `${key} belongs to the policy. ` : '';
}

/** Whether it is how often something is tried, whatever is counted. */
function isCount(key: string): boolean {
  return key === 'maxAttempts' || ATTEMPT_COUNT.test(key) || RETRY_COUNT.test(key);
}

/** @param more - what `maxAttempts` counts besides: the first attempt, where the key counts retries */
function countCure(value: unknown, more: number): string {
  if (typeof value !== 'number' || value < 0) return 'Use maxAttempts, which counts the first attempt too.';
  return `Use maxAttempts: ${value + more}.`;
}

/** What other queues call a key of ours; apart, so that a program without a queue does not load it. */
export const QUEUE_SYNONYMS: Synonyms = [
  [
    /^(idempotencyKey|id|jobId|taskId|jobKey|uniqueKey|unique|dedupeKey|deduplicationId|deduplication|singletonKey)$/,
    'key',
  ],
  [/^(eta|startAfter|scheduledAt|scheduleAt|availableAt)$/, 'runAt'],
  [/^(countdown|delaySeconds|wait|waitFor)$/, 'delay'],
  [/^(id|jobIds|runIds|idList)$/, 'ids'],
  [/^(isDryRun|simulate|preview)$/, 'dryRun'],
  [/^(transaction|trx|client)$/, 'tx'],
];
