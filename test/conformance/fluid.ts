import { computeDelay, decide, explain, matchesError, type Policy } from '@retry/core';
import { type FluidRetryPolicy, fromFluid } from '@retry/core/dialects';
import { decideStart, requeueDelay } from '@retry/core/dialects/parity';
import { type PolicySettings, settingsOf } from '@retry/core/fields';
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
import { firstName, makeErrorClasses, type Names } from './error-classes.ts';
import { readFailure } from './failure-text.ts';
import { transition } from './fluid-transitions.ts';
import { runPolicy, shownDelays } from './run-policy.ts';
import { pick, type Runner, randomOf, type SystemRunners } from './runner.ts';

type Config = Omit<FluidRetryPolicy, 'exceptions'> & { readonly exceptions?: Names };

interface DelayCase {
  readonly config: Config;
  readonly attempt: number;
  readonly attempt_base: number;
}

const delay: Runner = {
  schema: { attempt: integer, attempt_base: integer, ...expected({ delay: number }) },
  answer: ({ config, attempt, attempt_base }: DelayCase) => ({
    delay:
      computeDelay(policyOf(config), attempt - attempt_base + 1, { random: randomOf(undefined) }) / 1_000,
  }),
  expected: (given: DelayCase) => pick(given, ['delay']),
};

interface MatchCase {
  readonly config: Config;
  readonly raised: string;
  readonly raised_ancestors: readonly string[];
}

const match: Runner = {
  schema: { raised: text, raised_ancestors: listOf(text), ...expected({ matches: boolean }) },
  answer: ({ config, raised, raised_ancestors }: MatchCase) => {
    const classOf = makeErrorClasses(raised_ancestors);
    const policy = policyOf(config, classOf);
    const error = new (classOf(raised))();
    // The consumer never applies the policy to these errors; this case is about the policy itself.
    const isStopped = settingsOf(policy).stopOn.some((matcher) => matchesError(matcher, error));
    return { matches: isStopped ? isListed(settingsOf(policy), error) : explain(policy, error).retries };
  },
  expected: (given: MatchCase) => pick(given, ['matches']),
};

interface EligibilityCase {
  readonly config: Config | null;
  readonly retry_attempt: number;
  readonly raised: string;
}

const eligibility: Runner = {
  schema: {
    retry_attempt: integer,
    attempt_base: optional(text),
    raised: text,
    ...expected({ retry: boolean, next_retry_attempt: integer, delay: number }),
    // The other fields of a retry's copy belong to the lifecycle, and are tested as `transition`.
    ...expected({ new_state: text, queued: orNull(number), start: orNull(number), end: orNull(number) }),
    ...expected({
      rate_limit_attempt_before: integer,
      rate_limit_attempt_after: integer,
      same_run_id: boolean,
    }),
  },
  answer: ({ config, retry_attempt, raised }: EligibilityCase) => {
    const classOf = makeErrorClasses();
    const failure = { error: new (classOf(raised))() };
    const context = { now: 0, random: randomOf(undefined) };
    const decision = decide(policyOf(config, classOf), { failures: retry_attempt + 1 }, failure, context);
    return decision.type === 'retry'
      ? { retry: true, next_retry_attempt: retry_attempt + 1, delay: decision.delayMs / 1_000 }
      : { retry: false };
  },
  // The other changes of the run by a retry belong to the lifecycle.
  expected: (given: EligibilityCase) => pick(given, ['retry', 'next_retry_attempt', 'delay']),
};

interface ExecutionsCase {
  readonly config: Config | null;
  readonly failure: string;
  readonly delays?: readonly number[];
}

const executions: Runner = {
  schema: {
    failure: text,
    ...expected({ total_executions: either(integer, oneOf('unlimited')), delays: listOf(number) }),
    // The states of each copy belong to the lifecycle, and are tested as `transition`.
    ...expected({ events: listOf(text), final_state: text, propagated: text }),
  },
  answer: ({ config, failure, delays }: ExecutionsCase) => {
    const classOf = makeErrorClasses();
    const { name = firstName(config?.exceptions) ?? 'ValueError', failures } = readFailure(failure);
    const run = runPolicy(policyOf(config, classOf), {
      errorOf: (attempt) => (attempt <= failures ? new (classOf(name))() : undefined),
    });
    return { total_executions: run.executions, delays: shownDelays(run, delays) };
  },
  expected: (given: ExecutionsCase) => pick(given, ['total_executions', 'delays']),
};

interface RateLimitCase {
  readonly config: { readonly max_concurrency: number; readonly rate_limit_retry: FluidRetryPolicy | null };
  readonly rate_limit_attempt: number;
  readonly current_runs: number;
}

const rateLimit: Runner = {
  schema: {
    rate_limit_attempt: integer,
    current_runs: integer,
    ...expected({
      outcome: oneOf('run', 'requeue', 'rate_limited'),
      next_rate_limit_attempt: integer,
      delay: number,
    }),
    // Every `limit` of the lifecycle leaves the other counter unchanged.
    ...expected({ state: text, retry_attempt_before: integer, retry_attempt_after: integer }),
  },
  answer: ({ config, rate_limit_attempt, current_runs }: RateLimitCase) => {
    const { task } = fromFluid(config);
    const counters = { running: current_runs, rateLimits: rate_limit_attempt };
    const decision = decideStart(task, counters, { now: 0, random: randomOf(undefined) });
    if (decision.type !== 'retry')
      return { outcome: decision.type === 'end' ? 'rate_limited' : decision.type };
    const next_rate_limit_attempt = rate_limit_attempt + 1;
    return { outcome: 'requeue', next_rate_limit_attempt, delay: decision.delayMs / 1_000 };
  },
  expected: (given: RateLimitCase) => pick(given, ['outcome', 'next_rate_limit_attempt', 'delay']),
};

interface RequeueCase {
  readonly seconds_until_execute_after: number | null;
}

const requeueFloor: Runner = {
  schema: {
    seconds_until_execute_after: orNull(number),
    ...expected({ not_ready: boolean, requeue_in: orNull(number) }),
  },
  answer: ({ seconds_until_execute_after }: RequeueCase) => {
    const delayMs = requeueDelay(fromFluid().task, (seconds_until_execute_after ?? 0) * 1_000);
    return { not_ready: delayMs !== undefined, requeue_in: delayMs === undefined ? null : delayMs / 1_000 };
  },
  expected: (given: RequeueCase) => pick(given, ['not_ready', 'requeue_in']),
};

export const fluid: SystemRunners = {
  system: 'aio-fluid',
  versions: [],
  runners: {
    delay,
    match,
    eligibility,
    executions,
    rate_limit: rateLimit,
    requeue_floor: requeueFloor,
    transition,
  },
};

function policyOf(config: Config | null, classOf = makeErrorClasses()): Policy {
  if (config === null) return fromFluid({ retry: null }).policy;
  const { exceptions, ...rest } = config;
  return fromFluid({ retry: { ...rest, ...(exceptions && { exceptions: classOf.of(exceptions) as [] }) } })
    .policy;
}

function isListed({ retryOn }: PolicySettings, error: unknown): boolean {
  if (retryOn === 'nothing') return false;
  return retryOn === 'everything' || retryOn.some((matcher) => matchesError(matcher, error));
}
