import { InvalidOptionsError } from '@retry/core';
import { findDifference, numbersIn } from './compare.ts';
import type { Answered, Deviation } from './deviation.ts';
import { unlike } from './deviation.ts';
import { jobbersDeviations } from './jobbers-deviations.ts';
import { moveDeviations } from './move-deviations.ts';
import type { VectorCase } from './vectors.ts';

/** The fields of a case that these rules read. */
interface Given extends VectorCase {
  readonly attempt?: number;
  readonly retry_attempt?: number;
  readonly rate_limit_attempt?: number;
  readonly attempts?: number | null;
  readonly attempt_base?: number;
  readonly delay?: unknown;
  readonly failure?: string;
  readonly result?: string;
  readonly next_state?: string;
  readonly status?: string;
  readonly failures_before_success?: number;
}

/** All deviations; the report lists the cases of each. */
export const deviations: readonly Deviation[] = [
  {
    name: 'saturates where that system raises',
    reason: 'SEEDS 9: an error there is a validation error or a saturated value here; delays are total.',
    applies: ({ given, answer }) => given.error !== undefined && !isRefused(answer),
    differs: (answered) => {
      const numbers = numbersIn(answered.answer());
      const strange = numbers.find((number) => !(number >= 0 && number < Infinity));
      if (strange !== undefined) return `the answer holds ${strange}`;
      const cap = capOf(answered);
      const isAtCap = typeof cap !== 'number' || cap === Infinity || numbers.includes(cap);
      const isOverflow = /overflow|out of range/i.test(answered.given.error ?? '');
      return isOverflow && !isAtCap ? `no number of the answer is the cap of ${cap}` : undefined;
    },
  },
  {
    name: 'refuses negative and infinite durations and factors',
    reason:
      'SEEDS 6 and 3.19: fluid, Jobbers and Tasker let negative ones through, Celery fails inside its own retry ' +
      'where its factor is infinite. Our validation says so beforehand.',
    applies: ({ given, answer }) => given.error === undefined && isOutOfRange(given) && isRefused(answer),
    differs: () => undefined,
  },
  {
    name: 'takes what lies below the first attempt for the first',
    reason:
      'computeDelay and isEligible are total: attempts count from the first, and a limit below none is none. The seeds ' +
      'go on with their formulas below it by accident.',
    applies: ({ given, agrees }) =>
      given.error === undefined && !isSameCase(given, fromTheFirst(given)) && !agrees(),
    differs: ({ given, answer, answerTo }) =>
      unlike(withoutCount(answer()), withoutCount(answerTo(fromTheFirst(given)))),
  },
  {
    name: 'holds durations in milliseconds',
    reason:
      'The longest that a number can be is 1.8e305 seconds in milliseconds; beyond it a delay is that long.',
    applies: ({ given, agrees }) =>
      numbersIn(given).some((number) => number > MAX_SECONDS && number < Infinity) && !agrees(),
    differs: ({ answer }) => {
      const strange = numbersIn(answer()).find((number) => !(number >= 0 && number <= MAX_SECONDS));
      return strange === undefined ? undefined : `the answer holds ${strange}`;
    },
  },
  {
    name: 'retries a timeout that is listed',
    reason: 'SEEDS 3.15 and 9: fluid never retries a TimeoutError, also where `exceptions` names it.',
    applies: ({ system, given }) =>
      system === 'aio-fluid' && given.kind === 'executions' && listsTimeout(given) && isTimeout(given),
    differs: ({ given, answer }) => {
      const wanted = Number(given.config?.['max_attempts']) + 1;
      return same(read(answer, 'total_executions'), wanted);
    },
  },
  {
    name: 'takes a list of exceptions of any length',
    reason: 'SEEDS 3.3 and 9: Jobbers declares a tuple of one, and so refuses its own example of two.',
    applies: ({ system, given }) =>
      system === 'jobbers' && given.kind === 'validation' && isOnlyAnotherLength(given),
    differs: ({ answer }) => same(read(answer, 'result'), 'accepted'),
  },
  {
    name: 'decides once what follows an error',
    reason:
      'SEEDS 3.10 and 9: Tasker asks twice, and parks a step for ever where the answers differ. Here both are the ' +
      'rule of readiness: retryable is looked at, and a missing max_attempts is 3.',
    applies: ({ system, given }) =>
      system === 'tasker' && given.kind === 'after_error' && (isParked(given) || isMissingLimit(given)),
    differs: ({ given, answer }) =>
      same(read(answer, 'next_state'), isParked(given) ? 'error' : 'waiting_for_retry'),
  },
  {
    name: 'takes the base for a delay that is not finite',
    reason:
      'SEEDS 3.24: v2.0.1 hands an infinite delay to sleep. Of a strategy of the user, main and our core take the base; ' +
      'what grows by itself is as long as a delay can be.',
    applies: ({ system, given }) => system === 'cmdx' && isInfinite((given as Given).delay),
    differs: ({ given, answer }) => {
      const wanted = given.kind === 'custom' ? (given.config?.['delay'] ?? 0.5) : MAX_SECONDS;
      return same(read(answer, 'delay'), wanted);
    },
  },
  {
    name: 'never draws below the base',
    reason:
      'SEEDS 3.24: after a delay of less than a third of the base v2.0.1 draws below the base. No run has such a ' +
      'delay but at a cap that is as short, and there the cap is what comes out of both.',
    applies: ({ system, given }) => system === 'cmdx' && given.kind === 'delay' && isAfterTooShort(given),
    differs: ({ given, answer }) => {
      return same(read(answer, 'delay'), leastDelay(given));
    },
  },
  {
    name: 'completes a run that succeeds',
    reason:
      "SEEDS 3.25: CMDx's errors of a failed attempt outlive a later success. A policy keeps no errors.",
    applies: ({ system, given }) => system === 'cmdx' && given.kind === 'result' && failsAfterSuccess(given),
    differs: ({ given, answer }) =>
      same(read(answer, 'status'), 'success') ??
      same(read(answer, 'retries'), (given as Given).failures_before_success),
  },
  ...moveDeviations,
  ...jobbersDeviations,
];

/** Returns whether our validation refuses the case; any other error passes through. */
export function isRefused(answer: () => unknown): boolean {
  try {
    answer();
    return false;
  } catch (error) {
    if (error instanceof InvalidOptionsError) return true;
    throw error;
  }
}

/** The longest duration in seconds that milliseconds can hold. */
const MAX_SECONDS = Number.MAX_VALUE / 1_000;

const LIMITS = ['max_attempts', 'max_retries', 'limit'];
const CAPS = ['max_wait', 'max_retry_delay', 'retry_backoff_max', 'max_delay'];

/** Whether a duration or a factor is below 0 or infinite, or a share above 1. Limits may be below 0, caps infinite. */
function isOutOfRange({ config }: VectorCase): boolean {
  return Object.entries(config ?? {}).some(([key, value]) => {
    if (LIMITS.includes(key)) return false;
    const most = key === 'max_jitter' ? 1 : CAPS.includes(key) ? Infinity : Number.MAX_VALUE;
    return numbersIn(value).some((number) => !(number >= 0 && number <= most));
  });
}

/** The longest delay that the case allows, in seconds, if its system has one. */
function capOf({ system, given: { config } }: Answered): unknown {
  const caps = ['max_wait', 'max_retry_delay', 'max_backoff_seconds'].map((key) => config?.[key]);
  return caps.find((cap) => cap !== undefined) ?? (system === 'jobbers' ? 3_600 : undefined);
}

/** The same case, with attempts counted from the first and limits that are not negative. */
function fromTheFirst(given: Given): Given {
  const { attempt, attempt_base, attempts, retry_attempt, rate_limit_attempt, config } = given;
  const atLeast = (least: number, number: unknown): unknown =>
    typeof number === 'number' ? Math.max(number, least) : number;
  const limits = Object.entries(config ?? {}).filter(([key]) => LIMITS.includes(key));
  return {
    ...given,
    ...(attempt !== undefined && { attempt: atLeast(attempt_base ?? 0, attempt) }),
    ...(attempts !== undefined && { attempts: atLeast(0, attempts) }),
    ...(retry_attempt !== undefined && { retry_attempt: atLeast(0, retry_attempt) }),
    ...(rate_limit_attempt !== undefined && { rate_limit_attempt: atLeast(0, rate_limit_attempt) }),
    ...(limits.length > 0 && {
      config: { ...config, ...Object.fromEntries(limits.map(([key, limit]) => [key, atLeast(0, limit)])) },
    }),
  } as Given; // the same fields, only larger
}

/** The next attempt is one more than the case counts, whether from 0 or from 1. */
function withoutCount(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
  return { ...answer, next_retry_attempt: undefined };
}

function isSameCase(given: VectorCase, other: VectorCase): boolean {
  return findDifference(other, given) === undefined;
}

function isTimeout({ failure = '' }: Given): boolean {
  return /\bTimeoutError\b/.test(failure);
}

function listsTimeout({ config }: Given): boolean {
  const listed = config?.['exceptions'];
  return Array.isArray(listed) && listed.includes('TimeoutError');
}

function isOnlyAnotherLength({ config, result }: Given): boolean {
  const listed = config?.['expected_exceptions'];
  const isAlone = Object.keys(config ?? {}).length === 1;
  return result === 'ValidationError' && isAlone && Array.isArray(listed) && listed.length !== 1;
}

function isParked({ config, next_state }: Given): boolean {
  return config?.['retryable'] === false && next_state === 'waiting_for_retry';
}

function isMissingLimit({ config, attempts, next_state, result = '' }: Given): boolean {
  const isOpen = config?.['max_attempts'] === null && (attempts ?? 0) < 3;
  return isOpen && next_state === 'error' && !/not retryable|permanent/.test(result);
}

function isAfterTooShort(given: Given): boolean {
  const isSeed = given.version === 'v2.0.1' && given.config?.['jitter'] === 'decorrelated_jitter';
  return isSeed && typeof given.delay === 'number' && given.delay < leastDelay(given);
}

function leastDelay({ config }: VectorCase): number {
  const { delay, max_delay } = (config ?? {}) as { delay?: number | null; max_delay?: number | null };
  return Math.min(delay ?? 0.5, max_delay ?? Infinity);
}

function isInfinite(delay: unknown): boolean {
  return typeof delay === 'number' && !Number.isFinite(delay);
}

function failsAfterSuccess({ config, status, failures_before_success }: Given): boolean {
  const limit = config?.['limit'];
  const most = typeof limit === 'number' ? Math.max(limit, 0) : 3;
  return status === 'failed' && failures_before_success !== undefined && failures_before_success <= most;
}

function read(answer: () => unknown, key: string): unknown {
  return (answer() as Readonly<Record<string, unknown>>)[key]; // every answer of these kinds is a record
}

function same(actual: unknown, wanted: unknown): string | undefined {
  return Object.is(actual, wanted) ? undefined : `it is ${String(actual)}, where ${String(wanted)} is meant`;
}
