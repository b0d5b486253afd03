import { computeDelay, delayBounds, type Policy } from '@retry/core';
import { type CeleryOptions, fromCelery } from '@retry/core/dialects';
import { celeryInterval, celeryMessageEta } from '@retry/core/dialects/parity';
import { boolean, either, expected, integer, listOf, number, oneOf, optional, text } from './case-schema.ts';
import { isManualRetry, runManual } from './celery-call.ts';
import { firstName, makeErrorClasses, type Names } from './error-classes.ts';
import { readFailure } from './failure-text.ts';
import { runPolicy, shownDelays } from './run-policy.ts';
import { pick, type Runner, randomOf, type SystemRunners } from './runner.ts';

interface FormulaCase {
  readonly config: {
    readonly factor: number;
    readonly maximum: number;
    readonly full_jitter: boolean;
  };
  readonly attempt: number;
  readonly attempt_base: number;
  readonly u?: number;
  readonly delay: number;
}

const formula: Runner = {
  schema: {
    attempt: integer,
    attempt_base: integer,
    u: optional(number),
    ...expected({ delay: number }),
  },
  answer: ({ config, attempt, attempt_base, u }: FormulaCase) =>
    policiesOf(config).map(
      (policy) => computeDelay(policy, attempt - attempt_base + 1, { random: randomOf(u) }) / 1_000,
    ),
  expected: ({ config, delay }: FormulaCase) => policiesOf(config).map(() => delay),
};

interface RangeCase extends FormulaCase {
  readonly min: number;
  readonly max: number;
}

const range: Runner = {
  schema: {
    attempt: integer,
    attempt_base: integer,
    ...expected({ min: number, max: number, inclusive: boolean, integer: boolean }),
  },
  answer: ({ config, attempt, attempt_base }: RangeCase) =>
    policiesOf(config).map((policy) => {
      const retry = attempt - attempt_base + 1;
      const [minMs, maxMs] = delayBounds(policy, retry);
      const draws = [0, 0.1, 0.31, 0.77, 1 - 2 ** -53].map((u) =>
        computeDelay(policy, retry, { random: () => u }),
      );
      return {
        min: minMs / 1_000,
        max: maxMs / 1_000,
        inclusive: draws[0] === minMs && draws.at(-1) === maxMs,
        integer: draws.every((ms) => ms % 1_000 === 0),
      };
    }),
  expected: (given: RangeCase) =>
    policiesOf(given.config).map(() => pick(given, ['min', 'max', 'inclusive', 'integer'])),
};

interface ExecutionsCase {
  readonly config: Omit<CeleryOptions, 'autoretry_for' | 'dont_autoretry_for' | 'throws'> &
    Readonly<Partial<Record<'autoretry_for' | 'dont_autoretry_for' | 'throws', Names>>>;
  readonly failure: string;
  readonly u?: number;
  readonly state: string;
  readonly countdowns?: readonly unknown[];
}

const executions: Runner = {
  schema: {
    failure: text,
    u: optional(number),
    state: oneOf('SUCCESS', 'FAILURE', 'IGNORED', 'REJECTED', 'RETRY', 'unlimited'),
    ...expected({
      final_exception: text,
      total_executions: either(integer, oneOf('unlimited')),
      countdowns: listOf(either(number, text)),
    }),
  },
  answer: ({ config, failure, u, countdowns }: ExecutionsCase) => {
    const classOf = makeErrorClasses();
    // Lists of classes may hold lists, as tuples do in Python.
    const options = { ...config, ...classLists(config, classOf) } as CeleryOptions;
    if (isManualRetry(failure)) return runManual(options, failure);
    // Outside of a worker autoretry calls retry() too, which then raises what it was given.
    if (/direct/.test(failure)) return runManual(options, `retry(exc=${nameIn(failure)}) direct`);
    const { name = firstName(config.autoretry_for) ?? 'ValueError', failures } = readFailure(failure);
    const run = runPolicy(fromCelery(options).policy, {
      errorOf: (attempt) => (attempt <= failures ? new (classOf(name))() : undefined),
      random: randomOf(u),
    });
    return {
      state: run.executions === 'unlimited' ? 'unlimited' : run.end === undefined ? 'SUCCESS' : 'FAILURE',
      ...(run.end !== undefined && { final_exception: name }),
      total_executions: run.executions,
      // The case shows the first ten delays of a run, fewer if it is unlimited.
      countdowns: shownDelays(run, countdowns).slice(0, 10),
    };
  },
  expected: (given: ExecutionsCase) => {
    const isOurs = ['SUCCESS', 'FAILURE', 'unlimited'].includes(given.state);
    // IGNORED and REJECTED are what Celery calls a failure with these signals.
    return {
      ...pick(given, ['final_exception', 'total_executions', 'countdowns']),
      ...(isOurs && pick(given, ['state'])),
    };
  },
};

interface EtaCase {
  readonly config: { readonly countdown?: number | null; readonly eta?: string | null };
  readonly now: string;
  readonly eta: string;
}

const messageEta: Runner = {
  schema: { now: text, ...expected({ eta: text }) },
  answer: ({ config, now }: EtaCase) => {
    const eta = typeof config.eta === 'string' ? Date.parse(config.eta) : (config.eta ?? null);
    return { eta: celeryMessageEta({ ...config, eta }, Date.parse(now)) ?? 'none' };
  },
  expected: ({ eta }: EtaCase) => ({ eta: eta === 'none' ? eta : Date.parse(eta) }),
};

export const celery: SystemRunners = {
  system: 'celery',
  versions: [],
  runners: { formula, range, executions, message_eta: messageEta },
};

function nameIn(failure: string): string {
  return /\b[A-Z]\w+/.exec(failure)?.[0] ?? 'ValueError';
}

/** The formula itself and, if `retry_backoff` can express this factor, the dialect. */
function policiesOf({ factor, maximum, full_jitter }: FormulaCase['config']): readonly Policy[] {
  const own = celeryInterval({ factor, maximum, full_jitter });
  if (!(Number.isInteger(factor) && factor >= 1)) return [own];
  return [
    own,
    fromCelery({ retry_backoff: factor, retry_backoff_max: maximum, retry_jitter: full_jitter }).policy,
  ];
}

function classLists(
  config: ExecutionsCase['config'],
  classOf: ReturnType<typeof makeErrorClasses>,
): CeleryOptions {
  const keys = ['autoretry_for', 'dont_autoretry_for', 'throws'] as const;
  return Object.fromEntries(keys.flatMap((key) => (config[key] ? [[key, classOf.of(config[key])]] : [])));
}
