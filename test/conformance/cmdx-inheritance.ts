import { computeDelay, decide, explain, type Policy } from '@retry/core';
import { fromCmdx } from '@retry/core/dialects';
import type { CmdxVersion } from '@retry/core/dialects/parity';
import { settingsOf } from '@retry/core/fields';
import { record } from './case-schema.ts';
import { readClasses } from './cmdx-ruby.ts';
import { makeErrorClasses } from './error-classes.ts';
import type { Runner } from './runner.ts';

interface InheritanceCase {
  readonly config: Readonly<Record<string, unknown>>;
  readonly version: CmdxVersion;
  readonly effective: {
    readonly exceptions: readonly string[];
    readonly limit: number;
    readonly delay: number;
    readonly max_delay: number | null;
    readonly jitter: string | null;
    readonly if: boolean;
    readonly unless: boolean;
  };
}

/** The block of the vectors is arbitrary; this one differs from every built-in strategy. */
const block = (attempt: number, delay: number): number => delay * (7 + attempt);

const RETRIES = Array.from({ length: 12 }, (_, index) => index + 1);

/**
 * Compares the behaviour of policies: the errors that they expect, their attempts and delays, and whether they call the
 * gate. The effective options are converted by the dialect as one plain declaration.
 */
export const inheritance: Runner = {
  schema: { effective: record },
  answer: ({ config, version, effective }: InheritanceCase) => {
    const classOf = makeErrorClasses([], 'ruby');
    let asked = 0;
    const gate = (answer: boolean): boolean => {
      asked += 1;
      return answer;
    };
    const { policy } = fromCmdx({ version, ...readClasses(config, { classOf, gate, block }) });
    const behaviour = behaviourOf(policy, effective.exceptions, classOf);
    return { ...behaviour, isGated: asked > 0 };
  },
  expected: ({ version, effective }: InheritanceCase) => {
    const classOf = makeErrorClasses([], 'ruby');
    const { exceptions, limit, delay, max_delay, jitter } = effective;
    const isBlock = jitter === 'callable';
    const plain = { exceptions: classOf.of(exceptions) as [], limit, delay, max_delay };
    const { policy } = fromCmdx({
      version,
      retry_on: { ...plain, ...(isBlock ? { block } : { jitter }) },
    });
    return {
      ...behaviourOf(policy, exceptions, classOf),
      limit,
      // Without a strategy the delay is the base itself; the rest is compared with the plain declaration.
      ...(jitter === null && { firstDelay: Math.min(delay, max_delay ?? Infinity) }),
      expected: exceptions.map(() => true),
      isGated: effective.if || effective.unless,
    };
  },
};

function behaviourOf(policy: Policy, names: readonly string[], classOf: ReturnType<typeof makeErrorClasses>) {
  const errors = names.map((name) => new (classOf(name))());
  const delays = RETRIES.map((retry) => computeDelay(policy, retry, { random: () => 0.5 }) / 1_000);
  const runs = errors.map((error) =>
    decide(policy, { failures: 1 }, { error }, { now: 0, random: () => 0.5 }),
  );
  return {
    limit: settingsOf(policy).maxAttempts - 1,
    firstDelay: delays[0],
    delays,
    matchers: typeof settingsOf(policy).retryOn === 'string' ? 0 : settingsOf(policy).retryOn.length,
    expected: errors.map((error) => explain(policy, error).reason !== 'unexpected'),
    retries: runs.map(({ type }) => type),
    isStranger: explain(policy, new (classOf('NobodyKnowsThis'))()).reason === 'unexpected',
  };
}
