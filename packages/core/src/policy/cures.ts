/** What people write out of habit from other libraries, and where it belongs here. */
const HABITS: readonly (readonly [keys: RegExp, cure: string])[] = [
  [
    /^(minTimeout|delay|wait|base|baseDelay|initialDelay|retryDelay)$/,
    "Use backoff: { type: 'constant', base: … }.",
  ],
  [/^(factor|multiplier|exponent)$/, "Use backoff: { type: 'exponential', base: …, factor: … }."],
  [/^(maxTimeout|maxBackoff|maxWait|backoffLimit)$/, 'Use maxDelay.'],
  [/^(maxRetryTime|maxDuration|totalTimeout)$/, 'Use deadline.'],
  [/^timeout$/, 'Use attemptTimeout for one attempt, or deadline for all of them.'],
  [/^(shouldRetry|retryOnError|when)$/, 'Use retryIf.'],
  [/^(signal|unref|on[A-Z]\w*)$/, 'It is an option of withRetry(fn, policy, options), not of the policy.'],
];

const RETRY_COUNT = /^(retries|maxRetries|max_retries|retryLimit|limit|numOfAttempts|attempts|tries)$/;

const COUNTS_OF_ALL: readonly string[] = ['attempts', 'tries', 'numOfAttempts'];

/** What to write instead of a key that does not exist. */
export function cureForKey(key: string, value: unknown, known: readonly string[]): string {
  if (known.includes('maxAttempts') && RETRY_COUNT.test(key)) return countCure(key, value);
  const bare = key.replace(/Ms$/, '');
  if (bare !== key && known.includes(bare)) return `Use ${bare}: it takes milliseconds or text like '2s'.`;

  const habit = known.includes('maxAttempts') ? HABITS.find(([keys]) => keys.test(key)) : undefined;
  return habit?.[1] ?? `Known keys are ${known.join(', ')}.`;
}

/** {@link COUNTS_OF_ALL} count the first execution, as we do; the others count what comes after it. */
function countCure(key: string, value: unknown): string {
  if (typeof value !== 'number' || value < 0) return 'Use maxAttempts, which counts the first attempt too.';
  return `Use maxAttempts: ${COUNTS_OF_ALL.includes(key) ? value : value + 1}.`;
}
