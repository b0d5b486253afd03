import { PolicyError } from '@retry/core';
import { numbersIn } from './compare.ts';
import type { Answered, Deviation } from './deviation.ts';
import { jobbersDeviations } from './jobbers-deviations.ts';
import { moveDeviations } from './move-deviations.ts';
import type { VectorCase } from './vectors.ts';

/** What of a case these rules read. */
interface Given extends VectorCase {
  readonly attempt?: number;
  readonly attempts?: number | null;
  readonly attempt_base?: number;
  readonly delay?: unknown;
  readonly failure?: string;
  readonly result?: string;
  readonly next_state?: string;
  readonly status?: string;
  readonly failures_before_success?: number;
}

/** Every deviation there is; the report names the cases that each one catches. */
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
    name: 'takes a retry below the first for the first',
    reason: 'computeDelay is total: fluid documents attempts from 1, and has a formula for 0 by accident.',
    applies: ({ system, given }) => system === 'aio-fluid' && given.kind === 'delay' && isBelowFirst(given),
    differs: ({ answer }) => {
      const [delay] = numbersIn(answer());
      return delay !== undefined && delay >= 0 && delay < Infinity ? undefined : `the delay is ${delay}`;
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
    reason: 'SEEDS 3.24: v2.0.1 hands an infinite delay to sleep; main and our core take the base.',
    applies: ({ system, given }) => system === 'cmdx' && isInfinite((given as Given).delay),
    differs: ({ given, answer }) => same(read(answer, 'delay'), given.config?.['delay'] ?? 0.5),
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

/** Whether our validation refuses the case. Any other error is nobody's intention, and comes out. */
export function isRefused(answer: () => unknown): boolean {
  try {
    answer();
    return false;
  } catch (error) {
    if (error instanceof PolicyError) return true;
    throw error;
  }
}

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

/** The longest delay that the case allows, in seconds, where its system has one. */
function capOf({ system, given: { config } }: Answered): unknown {
  const caps = ['max_wait', 'max_retry_delay', 'max_backoff_seconds'].map((key) => config?.[key]);
  return caps.find((cap) => cap !== undefined) ?? (system === 'jobbers' ? 3_600 : undefined);
}

function isBelowFirst({ attempt = 1, attempt_base = 1 }: Given): boolean {
  return attempt < attempt_base;
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
