import { formatDuration } from '../duration.ts';
import { readOptions } from '../fields/read-options.ts';
import { integerFrom } from '../fields/value-rules.ts';
import type { Policy, PolicySettings } from '../policy/policy.ts';
import { allowedAttempts, checkPolicy } from '../policy/settings.ts';
import { findLiteralPattern } from './literal-patterns.ts';
import { findNestedQuantifier } from './nested-quantifiers.ts';
import type { Preview } from './preview.ts';
import { preview } from './preview.ts';
import type { DurationRange } from './span.ts';

/** The codes of the warnings of {@link lintPolicy}. */
export type LintCode =
  | 'NOT_RETRYABLE'
  | 'MATCHES_NOTHING'
  | 'RETRIES_EVERYTHING'
  | 'NESTED_QUANTIFIERS'
  | 'LITERAL_PATTERN'
  | 'UNBOUNDED'
  | 'LONG_WORST_CASE'
  | 'NO_WAIT'
  | 'NO_JITTER'
  | 'SHRINKING_DELAY'
  | 'CAP_BELOW_BASE'
  | 'CAP_ERASES_JITTER'
  | 'GRANULARITY_OVER_CAP'
  | 'UNREACHABLE_ATTEMPTS'
  | 'TIMEOUT_OVER_DEADLINE'
  | 'MAY_NOT_RECOVER'
  | 'REPEATED_BELOW';

/** A warning about an option that is valid but rarely intended. */
export interface LintWarning {
  /** Stable; what `--ignore` of the shell takes. */
  readonly code: LintCode;
  /** The key of the policy that it is about. */
  readonly path: string;
  /** What is wrong, with the numbers of this policy. */
  readonly message: string;
  /** What to write instead. */
  readonly cure: string;
}

/** What `lintPolicy` cannot see in a policy. */
export interface LintOptions {
  /**
   * `open`: calls arrive whether or not earlier ones were answered, as users do. `closed`: callers wait for their answer.
   * @default unknown, and then there is no MAY_NOT_RECOVER
   */
  readonly traffic?: 'open' | 'closed' | undefined;
  /** Whether the calls share a retry budget. @default false */
  readonly hasBudget?: boolean | undefined;
  /** Requests that the client sends in one attempt while the server fails: 3 of got, 6 of undici's RetryAgent; ≥ 1. @default 1 */
  readonly requestsPerAttempt?: number | undefined;
}

type Rule = Omit<LintWarning, 'code' | 'message'> & {
  /** Returns the message, with a path if it is not `path`; `undefined` if the policy follows the rule. */
  readonly find: (policy: PolicySettings, plan: Preview, calls: LintOptions) => string | Found | undefined;
};

type Found = Pick<LintWarning, 'path' | 'message'>;

const AN_HOUR_MS = 3_600_000;

/** What `simulate` finds; its tests keep the figures true. @see docs/storms.md */
const SIMULATED =
  'In 100 simulated surges, 3 attempts with full jitter kept the server down in 100, with a budget of 10 % in 0';

const RULES: Readonly<Record<LintCode, Rule>> = {
  NOT_RETRYABLE: {
    path: 'retryable',
    find: (policy) =>
      say(
        !policy.retryable && policy.maxAttempts > 1,
        () => `retryable: false leaves ${policy.maxAttempts} attempts unused`,
      ),
    cure: 'Write maxAttempts: 1, or retryable: true.',
  },
  MATCHES_NOTHING: {
    path: 'retryOn',
    find: (policy) => say(policy.retryOn === 'nothing' && retries(policy), () => 'no error is retried'),
    cure: 'List the expected errors, or write maxAttempts: 1.',
  },
  RETRIES_EVERYTHING: {
    path: 'retryOn',
    find: (policy) =>
      say(
        retries(policy) && expectsEverything(policy),
        () =>
          'every error is retried, also those that come again: a wrong argument, a missing right, a bug. ' +
          'It is the default because no list of errors holds for every program, and a list that is wrong fails in silence',
      ),
    cure: 'List the errors that pass: retryOn: [...network, ...http], of @retry/core/errors.',
  },
  NESTED_QUANTIFIERS: {
    path: 'retryOn',
    find: (policy) => {
      const path = findNestedQuantifier(policy);
      if (path === undefined) return undefined;
      return { path, message: `${path} repeats a group that repeats: one long message may take it for ever` };
    },
    cure: 'Repeat once: /^a+$/ instead of /^(a+)+$/; or match by code, name or text.',
  },
  LITERAL_PATTERN: {
    path: 'retryOn',
    find: (policy) => {
      const path = findLiteralPattern(policy);
      if (path === undefined) return undefined;
      return {
        path,
        message: `${path} looks like a pattern, and is literal text there: it matches only what has these characters`,
      };
    },
    cure: "Of a message write { glob: '*timed out*', ignoreCase: true }, in code also /timed out/i; several names or codes are a list, and only a * is special in them.",
  },
  UNBOUNDED: {
    path: 'maxAttempts',
    find: (_, plan) => say(!plan.isBounded, () => 'it may retry for ever'),
    cure: 'Set a totalTimeout, or a maxAttempts.',
  },
  LONG_WORST_CASE: {
    path: 'maxDelay',
    find: (_, { isBounded, total }) =>
      say(isBounded && total.maxMs > AN_HOUR_MS, () => `it may take ${formatDuration(total.maxMs)}`),
    cure: 'Lower maxDelay or maxAttempts, or set a totalTimeout.',
  },
  NO_WAIT: {
    path: 'backoff',
    // Where granularity exceeds the cap, that is what is wrong.
    find: ({ granularityMs, maxDelayMs }, plan) =>
      say(
        granularityMs <= maxDelayMs && isEach(plan, ({ maxMs }) => maxMs === 0),
        () => 'it retries without a pause',
      ),
    cure: "Use an exponential backoff with jitter: 'full'.",
  },
  NO_JITTER: {
    path: 'jitter',
    find: (policy, plan) =>
      say(
        (retries(policy) && isSynchronised(policy)) ||
          isEach(plan, ({ minMs, maxMs }) => minMs === maxMs && minMs > 0),
        () => 'calls that fail together retry together',
      ),
    cure: "Use jitter: 'full'.",
  },
  SHRINKING_DELAY: {
    path: 'backoff.factor',
    find: ({ backoff }) =>
      say(backoff.type === 'exponential' && backoff.factor < 1, () => 'delays shrink from retry to retry'),
    cure: 'Use a factor of at least 1.',
  },
  CAP_BELOW_BASE: {
    path: 'maxDelay',
    find: ({ backoff, maxDelayMs }) =>
      say(
        'baseMs' in backoff && backoff.baseMs > maxDelayMs,
        () => 'the cap is below the base, so the backoff never shows',
      ),
    cure: 'Raise maxDelay above backoff.base.',
  },
  CAP_ERASES_JITTER: {
    path: 'capAt',
    find: (policy, plan) => say(pilesUp(policy, plan), () => 'late delays pile up exactly at maxDelay'),
    cure: "Use capAt: 'before-jitter'.",
  },
  GRANULARITY_OVER_CAP: {
    path: 'granularity',
    find: ({ granularityMs, maxDelayMs }) =>
      say(granularityMs > maxDelayMs, () => 'every delay is rounded down to 0'),
    cure: 'Use a granularity of at most maxDelay.',
  },
  UNREACHABLE_ATTEMPTS: {
    path: 'totalTimeout',
    find: (policy, { maxRetries, isStopped }) =>
      say(
        !isStopped &&
          policy.retryable &&
          policy.maxAttempts < Infinity &&
          maxRetries < policy.maxAttempts - 1,
        () => `at most ${maxRetries + 1} of ${policy.maxAttempts} attempts fit`,
      ),
    cure: 'Raise totalTimeout, or lower maxAttempts or the delays.',
  },
  TIMEOUT_OVER_DEADLINE: {
    path: 'attemptTimeout',
    find: ({ attemptTimeoutMs, totalTimeoutMs }) =>
      say(
        attemptTimeoutMs < Infinity && attemptTimeoutMs >= totalTimeoutMs,
        () => 'one slow attempt uses up the whole totalTimeout',
      ),
    cure: 'Use an attemptTimeout well below totalTimeout.',
  },
  MAY_NOT_RECOVER: {
    path: 'maxAttempts',
    find: (_, { maxRetries }, { traffic, hasBudget }) =>
      say(
        traffic === 'open' && hasBudget !== true && maxRetries > 0,
        () =>
          `while every attempt fails it sends ${maxRetries < Infinity ? `${maxRetries + 1} times the calls` : 'more and more attempts'}, ` +
          `whatever its delays. ${SIMULATED}`,
      ),
    cure: "Share a retry budget: createRetryBudget({ type: 'ratio', ratio: 0.1 }).",
  },
  REPEATED_BELOW: {
    path: 'maxAttempts',
    find: (_, { maxRetries }, { requestsPerAttempt = 1 }) =>
      say(requestsPerAttempt > 1 && maxRetries > 0, () =>
        maxRetries < Infinity
          ? `${maxRetries + 1} attempts of ${requestsPerAttempt} requests are up to ${(maxRetries + 1) * requestsPerAttempt} requests`
          : `each attempt is up to ${requestsPerAttempt} requests`,
      ),
    cure: 'Turn the retries of the client off, or write maxAttempts: 1. See docs/wrapping-a-client.md.',
  },
};

/** Every code of a warning, in the order of {@link lintPolicy}. */
export const LINT_CODES: readonly LintCode[] = Object.keys(RULES) as readonly LintCode[]; // its own keys

/**
 * Returns warnings about a valid policy, in the order of {@link LintCode}; empty if there are none.
 *
 * @throws {InvalidOptionsError} when `policy` was not made by `definePolicy`, or an option is wrong
 */
export function lintPolicy(policy: Policy, options: LintOptions = {}): readonly LintWarning[] {
  const settings = checkPolicy(policy, 'lintPolicy');
  const calls = readLintOptions(options);
  const plan = preview(policy);
  return Object.entries(RULES).flatMap(([code, { find, path, cure }]) => {
    const found = find(settings, plan, calls);
    if (found === undefined) return [];
    const warning = typeof found === 'string' ? { path, message: found } : found;
    return [{ code: code as LintCode, ...warning, cure }]; // the keys of RULES
  });
}

const AT_LEAST_ONE = integerFrom(1, 'Use 3 for a client that sends a request again twice by itself.');

function readLintOptions(options: LintOptions): LintOptions {
  return readOptions(
    options,
    { subject: 'lintPolicy', keys: ['traffic', 'hasBudget', 'requestsPerAttempt'] },
    (fields) => {
      const traffic = fields.choice('traffic', 'unknown', ['unknown', 'open', 'closed'] as const);
      const hasBudget = fields.choice('hasBudget', false, [true, false]);
      const requestsPerAttempt = fields.number('requestsPerAttempt', 1, AT_LEAST_ONE);
      return { hasBudget, requestsPerAttempt, ...(traffic !== 'unknown' && { traffic }) };
    },
  );
}

function say(isFound: boolean, message: () => string): string | undefined {
  return isFound ? message() : undefined;
}

function retries(policy: PolicySettings): boolean {
  return allowedAttempts(policy) > 1;
}

function expectsEverything({ retryOn, stopOn, retryIf }: PolicySettings): boolean {
  return retryOn === 'everything' && stopOn.length === 0 && retryIf === undefined;
}

/** Returns whether all callers draw the same delay. A custom strategy may have its own jitter. */
function isSynchronised({ backoff, jitter }: PolicySettings): boolean {
  if (['none', 'decorrelated', 'custom'].includes(backoff.type)) return false;
  return (
    jitter === 'none' || (typeof jitter === 'object' && Object.values(jitter).every((reach) => reach === 0))
  );
}

/** Returns whether the policy retries, and each of its delays has this property. */
function isEach({ retries }: Preview, has: (delay: DurationRange) => boolean): boolean {
  return retries.length > 0 && retries.every(({ delay }) => has(delay));
}

/** Decorrelated backoff draws its delays itself. */
function pilesUp({ backoff, capAt, jitter, maxDelayMs }: PolicySettings, { retries }: Preview): boolean {
  const last = retries.at(-1)?.delay;
  const isDrawn = jitter !== 'none' || backoff.type === 'decorrelated';
  return capAt === 'after-jitter' && isDrawn && last !== undefined && last.maxMs >= maxDelayMs;
}
