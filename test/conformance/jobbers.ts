import { computeDelay, isRetryError } from '@retry/core';
import { fromJobbers, type JobbersOptions } from '@retry/core/dialects';
import { makeErrorClasses } from './error-classes.ts';
import { readFailure } from './failure-text.ts';
import { runPolicy } from './run-policy.ts';
import { pick, type Runner, randomOf, type SystemRunners } from './runner.ts';

type Config = Omit<JobbersOptions, 'expected_exceptions'> & {
  readonly expected_exceptions?: readonly string[] | null;
};

interface DelayCase {
  readonly config: Config;
  readonly version?: JobbersOptions['version'];
  readonly attempt: number;
  readonly attempt_base: number;
  readonly u?: number;
}

const delay: Runner = {
  answer: (given: DelayCase) => {
    const { policy } = fromJobbers(optionsOf(given));
    const retry = given.attempt - given.attempt_base + 1;
    return { delay: computeDelay(policy, retry, { random: randomOf(given.u) }) / 1_000 };
  },
  expected: (given: DelayCase) => pick(given, ['delay']),
};

interface SequenceCase extends Omit<DelayCase, 'attempt' | 'attempt_base'> {
  readonly failure: string;
}

const retrySequence: Runner = {
  answer: (given: SequenceCase) => {
    const classOf = makeErrorClasses();
    const { name = 'ValueError', failures } = readFailure(given.failure);
    // These cases leave the list out; a timeout must be retried without being in it.
    const implied = [name === 'TimeoutError' ? 'AnotherError' : name];
    const config = { expected_exceptions: implied, ...given.config };
    const run = runPolicy(fromJobbers(optionsOf({ ...given, config }, classOf)).policy, {
      errorOf: (attempt) => (attempt <= failures ? new (classOf(name))() : undefined),
      random: randomOf(given.u),
    });
    return {
      delays: run.delaysMs.map((ms) => ms / 1_000),
      total_executions: run.executions,
      retry_attempt_at_end: run.delaysMs.length,
      final_status: run.end === undefined ? 'completed' : 'failed',
    };
  },
  expected: (given: SequenceCase) =>
    pick(given, ['delays', 'total_executions', 'retry_attempt_at_end', 'final_status']),
};

interface ValidationCase {
  readonly config: Config;
  readonly version?: JobbersOptions['version'];
}

const validation: Runner = {
  answer: (given: ValidationCase) => {
    try {
      fromJobbers(optionsOf(given));
      return { result: 'accepted' };
    } catch (error) {
      if (isRetryError(error, 'INVALID_POLICY')) return { result: 'ValidationError' };
      throw error;
    }
  },
  expected: (given: ValidationCase & { readonly result: string }) => ({
    result: given.result === 'ValidationError' ? given.result : 'accepted',
  }),
};

export const jobbers: SystemRunners = {
  system: 'jobbers',
  versions: ['7b5465f', 'main@06fcd8c'],
  runners: { delay, retry_sequence: retrySequence, validation },
};

function optionsOf({ config, version }: ValidationCase, classOf = makeErrorClasses()): JobbersOptions {
  const { expected_exceptions, ...rest } = config;
  return {
    ...rest,
    ...(version !== undefined && { version }),
    ...(expected_exceptions !== undefined && {
      expected_exceptions: expected_exceptions?.map(classOf) ?? null,
    }),
  };
}
