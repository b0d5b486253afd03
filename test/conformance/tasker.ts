import { isEligible, NonRetryableError } from '@retry/core';
import { fromTasker } from '@retry/core/dialects';
import {
  type TaskerFallback,
  taskerAfterError,
  taskerNextRetryAt,
  taskerReadiness,
} from '@retry/core/dialects/parity';
import { settingsOf } from '@retry/core/fields';
import {
  boolean,
  either,
  expected,
  integer,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  text,
} from './case-schema.ts';
import { readFailure } from './failure-text.ts';
import { runPolicy } from './run-policy.ts';
import { pick, type Runner, type SystemRunners } from './runner.ts';
import { backoffHint, delay, NOW, retryAfter, type StepCase } from './tasker-delays.ts';
import { STEP_STATES, stepTransitions } from './tasker-moves.ts';

const eligibility: Runner = {
  schema: {
    attempts: orNull(integer),
    ...expected({ retry_eligible: boolean, effective_max_attempts: integer }),
  },
  answer: ({ config, attempts }: StepCase) => {
    const { policy } = fromTasker(config);
    return {
      retry_eligible: isEligible(policy, { failures: attempts ?? 0 }),
      effective_max_attempts: settingsOf(policy).maxAttempts,
    };
  },
  expected: (given: StepCase & { readonly effective_max_attempts?: number }) => {
    const { effective_max_attempts: most } = given;
    // 0 executions is 1 there as well: the first is always allowed.
    const limit = most === undefined ? {} : { effective_max_attempts: Math.max(1, most) };
    return { ...pick(given, ['retry_eligible']), ...limit };
  },
};

const executions: Runner = {
  schema: { failure: text, ...expected({ total_executions: either(integer, oneOf('unlimited')) }) },
  answer: ({ config, failure }: StepCase & { readonly failure: string }) => {
    const { failures } = readFailure(failure);
    const errorOfAttempt = (attempt: number) => (attempt <= failures ? errorOf(failure) : undefined);
    const run = runPolicy(fromTasker(config).policy, { errorOf: errorOfAttempt, most: 1_000 });
    return { total_executions: run.executions };
  },
  expected: (given: StepCase) => pick(given, ['total_executions']),
};

interface ReadinessCase extends StepCase {
  readonly state: string;
  readonly in_process: boolean;
  readonly processed: boolean;
  readonly dependencies_met?: boolean;
  readonly backoff_request_seconds?: number;
  readonly last_attempted_seconds_ago?: number;
  readonly failed_seconds_ago?: number;
  readonly history?: readonly string[];
}

const readiness: Runner = {
  schema: {
    attempts: orNull(integer),
    state: oneOf(...STEP_STATES),
    in_process: boolean,
    processed: boolean,
    dependencies_met: optional(boolean),
    backoff_request_seconds: optional(orNull(number)),
    last_attempted_seconds_ago: optional(orNull(number)),
    failed_seconds_ago: optional(orNull(number)),
    history: optional(listOf(oneOf(...STEP_STATES))),
    ...expected({ retry_eligible: boolean, ready_for_execution: boolean, next_retry_in: number }),
  },
  answer: (given: ReadinessCase) => {
    const { last_attempted_seconds_ago: attempted, failed_seconds_ago: failed = 0 } = given;
    const hasFailed = given.state === 'error' || given.history?.includes('error') === true;
    const { isEligible, isReady, nextRetryAt } = taskerReadiness(
      fromTasker(given.config).policy,
      {
        state: given.state,
        attempts: given.attempts,
        isInProcess: given.in_process,
        isProcessed: given.processed,
        areDependenciesMet: given.dependencies_met ?? true,
        backoffMs: inMs(given.backoff_request_seconds),
        lastAttemptedAt: attempted === undefined ? null : NOW - attempted * 1_000,
        failedAt: hasFailed ? NOW - failed * 1_000 : null,
      },
      NOW,
    );
    const next_retry_in = nextRetryAt === undefined ? undefined : Math.round((nextRetryAt - NOW) / 1_000);
    return { retry_eligible: isEligible, ready_for_execution: isReady, next_retry_in };
  },
  expected: (given: ReadinessCase) => ({
    next_retry_in: undefined,
    ...pick(given, ['retry_eligible', 'ready_for_execution', 'next_retry_in']),
  }),
};

interface NextRetryCase {
  readonly config: TaskerFallback;
  readonly backoff_request_seconds: number | null;
  readonly last_attempted_at: number | null;
  readonly failure_time: number | null;
  readonly attempts: number | null;
}

const nextRetryTime: Runner = {
  schema: {
    backoff_request_seconds: orNull(number),
    last_attempted_at: orNull(number),
    failure_time: orNull(number),
    attempts: orNull(integer),
    ...expected({ next_retry_at: orNull(number) }),
  },
  answer: (given: NextRetryCase) => {
    const at = taskerNextRetryAt(
      {
        attempts: given.attempts,
        backoffMs: inMs(given.backoff_request_seconds),
        lastAttemptedAt: inMs(given.last_attempted_at),
        failedAt: inMs(given.failure_time),
      },
      given.config,
    );
    return { next_retry_at: at === undefined ? null : at / 1_000 };
  },
  expected: (given: NextRetryCase) => pick(given, ['next_retry_at']),
};

const afterError: Runner = {
  schema: {
    attempts: orNull(integer),
    result: text,
    ...expected({ next_state: oneOf(...STEP_STATES) }),
  },
  answer: ({ config, attempts, result }: StepCase & { readonly result: string }) => ({
    next_state: taskerAfterError(fromTasker(config).policy, attempts, errorOf(result)),
  }),
  expected: (given: StepCase) => pick(given, ['next_state']),
};

export const tasker: SystemRunners = {
  system: 'tasker',
  versions: [],
  runners: {
    eligibility,
    executions,
    readiness,
    next_retry_time: nextRetryTime,
    delay,
    retry_after: retryAfter,
    backoff_hint: backoffHint,
    after_error: afterError,
    step_transitions: stepTransitions,
  },
};

function inMs(seconds: number | null | undefined): number | null {
  return seconds === null || seconds === undefined ? null : seconds * 1_000;
}

function errorOf(text: string): Error {
  return /not retryable|permanent/.test(text) ? new NonRetryableError(text) : new Error(text);
}
