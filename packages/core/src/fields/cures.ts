import type { PolicyKey } from '../policy/policy.ts';

/** The keys of a policy, in the order of error messages. */
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

/** Keys of other libraries, and the cure that names the key to use instead. */
const FOREIGN_KEYS: readonly (readonly [keys: RegExp, cure: string])[] = [
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

/** Keys of other libraries that count retries: executions after the first. */
const RETRY_COUNT =
  /^(retries|maxRetries|retryLimit|limit|retryCount|retryAttempts|maxRetryAttempts|maxRetryCount|numRetries|numberOfRetries)$/;

/** Keys of other libraries that count all executions, as `maxAttempts` does. */
const ATTEMPT_COUNT =
  /^(attempts|tries|numOfAttempts|maxTries|maxAttempt|numAttempts|attemptLimit|stopAfterAttempt)$/;

/** Names of our keys in other libraries. */
export type Synonyms = readonly (readonly [keys: RegExp, ours: string])[];

/** The keys of an object of options, and their names in other libraries. */
export interface KnownKeys {
  readonly keys: readonly string[];
  readonly synonyms?: Synonyms;
}

/** Returns the cure for an unknown key: what to write instead. */
export function cureForKey(key: string, value: unknown, { keys: known, synonyms = [] }: KnownKeys): string {
  const camel = key.replace(/_+([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const isPolicy = known.includes('maxAttempts');
  if (isPolicy && camel === 'maxAttempts') return countCure(value, 0);
  if (camel !== key && known.includes(camel)) return `Use ${camel}.`;
  if (isPolicy && ATTEMPT_COUNT.test(camel)) return countCure(value, 0);
  if (isPolicy && RETRY_COUNT.test(camel)) return countCure(value, 1);
  if (known.includes('retry') && isCount(camel)) {
    return `It belongs in retry. ${countCure(value, RETRY_COUNT.test(camel) ? 1 : 0)}`;
  }
  const bare = camel.replace(/Ms$/, '');
  if (bare !== camel && known.includes(bare)) {
    // A spread policy has these keys.
    return `Use ${bare}: it takes milliseconds or text like '2s'.${isPolicy ? ' extendPolicy changes a policy.' : ''}`;
  }

  const synonym = synonyms.find(([keys, ours]) => keys.test(camel) && known.includes(ours));
  if (synonym !== undefined) return `Use ${synonym[1]}.`;
  const foreign = isPolicy ? FOREIGN_KEYS.find(([keys]) => keys.test(camel)) : undefined;
  return foreign?.[1] ?? `${elsewhere(key)}Known keys are ${known.join(', ')}.`;
}

/** Returns a hint for a key of the policy among other options: `maxAttempts` is the most frequent. */
function elsewhere(key: string): string {
  return POLICY_KEYS.some((own) => own === key) ? `${key} belongs to the policy. ` : '';
}

/** Returns whether the key counts attempts or retries. */
function isCount(key: string): boolean {
  return key === 'maxAttempts' || ATTEMPT_COUNT.test(key) || RETRY_COUNT.test(key);
}

/** Returns the cure for a key that counts. @param uncounted - attempts it does not count: 1 if it counts retries, else 0 */
function countCure(value: unknown, uncounted: number): string {
  if (typeof value !== 'number' || value < 0) return 'Use maxAttempts, which counts the first attempt too.';
  return `Use maxAttempts: ${value + uncounted}.`;
}

/** Names of our keys in other queues; a separate constant, so that bundles without a queue leave it out. */
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
