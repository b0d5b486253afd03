/** Names of our keys in other libraries, in camel case or as words, and what to use instead of them: text that begins with our key. */
export type Synonyms = readonly (readonly [keys: RegExp, ours: string])[];

/**
 * What other libraries call the options of a policy, by the words of their keys: `maxRetryDelay` is `max retry delay`. The first row that
 * matches counts.
 */
export const POLICY_SYNONYMS: Synonyms = [
  [/^forever$/, 'maxAttempts: Infinity'],
  [/^stop$/, 'maxAttempts or totalTimeout'],
  [/^randomize$/, "jitter: 'bounded' or 'none'"],
  [/\b(jitter|noise|rand|random\w*)\b/, "jitter: 'full', or { proportional: 0.1 } for ± 10 %"],
  [/^start with no delay$/, 'immediateFirst: true'],
  [/^delay first attempt$/, 'initialDelay'],
  [/^(enabled|auto retry|retries allowed)$/, 'retryable'],
  [/^(allowed )?methods$/, 'methods in the options of createRetryFetch, after the policy'],
  [
    /^((default )?(grpc )?retry( config| options| policy)?|backoff settings)$/,
    'the options inside it, as the policy itself',
  ],
  [/\bretry after\b/, 'retryAfter: { max: … }'],
  [/^((abort|bail) (on|if)|throws)$|^(non|dont|do not|ignored?) ?(\w*retry|except|err)/, 'stopOn'],
  [
    /^(should (retry|handle)|can retry|is retryable|predicate|when)|^retry (condition|predicate|on e\w+n|on error)$/,
    'retryIf',
  ],
  [
    /\b(status(es)?|codes?|errors?|exceptions?|connrefused)\b|^autoretry for$/,
    "retryOn: [{ status: 503 }, { code: 'ECONNRESET' }]",
  ],
  [/^timeout$/, 'attemptTimeout for one attempt, or totalTimeout for all of them'],
  [/^(per \w+|request) timeout$/, 'attemptTimeout'],
  [
    /^(?!stop).*\bmax(imum)?\b.*\b(delay|wait|interval|back ?off|timeout|value)\b|\b(delay|wait|backoff)\b.* (max|limit)$|^backoff limit$/,
    'maxDelay',
  ],
  [/^(max\w*|total|stop|retry max)\b.*\b(time|duration|delay)$|^deadline$/, 'totalTimeout'],
  [
    /\b(factor|multiplier|exponent|exponential|exp|coefficient|multiple|backoff rate)\b|^(min|initial|starting) (\w+ )?(delay|timeout|interval|backoff)$|\bwait (min|initial)$|^retry backoff$/,
    "backoff: { type: 'exponential', base: …, factor: … }",
  ],
  [/\b(increment|incrementing|linear)\b/, "backoff: { type: 'linear', base: …, increment: … }"],
  [
    /^((backoff|retry|reconnect) )?strategy$|^backoff type$|^calculate delay$|\bdelay func$/,
    "backoff: { type: 'exponential', base: … }, or { type: 'custom', strategy: (retry) => … }",
  ],
  [/\b(delay|wait|interval)\b|^base$|^retry delays$/, "backoff: { type: 'constant', base: … }"],
];

/** Keys of other libraries inside a backoff. */
export const BACKOFF_SYNONYMS: Synonyms = [
  [/\b(multiplier|coefficient|rate|exponent|exp base|grow factor)$/, 'factor'],
  [/^(?=.)((initial|min|base|starting|first)( |$))?(delay|wait|interval|timeout|backoff)?$/, 'base'],
  [/^step$/, 'increment'],
  [/^(list|sequence|values|intervals|steps)$/, 'delays'],
  [/^(fn|next|func|function|generator)$/, 'strategy'],
];

/** What is no part of a backoff here, but of the policy around it. */
export const BACKOFF_CURES: Readonly<Record<string, string>> = /* @__PURE__ */ Object.fromEntries(
  ['max', 'maxDelay', 'maxTimeout', 'maxInterval', 'cap', 'limit'].map((key) => [
    key,
    'Use maxDelay of the policy, beside backoff.',
  ]),
);

/** Keys that describe an error elsewhere. */
export const PATTERN_SYNONYMS: Synonyms = [
  [/\bstatus(es)?\b|^http code$/, 'status'],
  [/\bcodes?$/, 'code'],
  [/\b(messages?|msg|text|contains|includes|regexp?|pattern|matches)$/, 'message'],
  [/\b(class|type|name|names|constructor|exception)$/, 'name'],
  [/\blabels?$/, 'label'],
  [/^(not|except)$/, 'unless'],
];

/** Names of our keys in other queues; a separate constant, so that bundles without a queue leave it out. */
export const QUEUE_SYNONYMS: Synonyms = [
  [
    /^(jobKey|uniqueKey|dedupeKey|deduplicationId|deduplication|singletonKey)$/,
    'unique: { key: … } for one run at a time, or key to submit only once',
  ],
  [
    /^(idempotencyKey|id|jobId|taskId|jobKey|uniqueKey|unique|dedupeKey|deduplicationId|deduplication|singletonKey)$/,
    'key',
  ],
  [
    /^(eta|at|(start|run|process)After|(scheduled?|available|start|nextRun)(At|For)|delay(ed)?Until|notBefore)$/,
    'runAt',
  ],
  [/^(countdown|delaySeconds|(start|run)?In|wait|waitFor)$/i, 'delay'],
  [/^(id|jobIds|runIds|idList)$/, 'ids'],
  [/^(isDryRun|simulate|preview)$/, 'dryRun'],
  [/^(transaction|trx|client|db)$/, 'tx'],
];
