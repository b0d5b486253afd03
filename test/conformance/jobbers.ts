import { computeDelay, isRetryError } from '@retry/core';
import { fromJobbers } from '@retry/core/dialects';
import { openMemoryStage } from '../support/stage.ts';
import { either, expected, integer, listOf, number, oneOf, optional, text } from './case-schema.ts';
import { makeErrorClasses } from './error-classes.ts';
import { readFailure } from './failure-text.ts';
import { dlqResubmit, interruption } from './jobbers-ends.ts';
import { lifecycle } from './jobbers-lifecycle.ts';
import { queueConcurrency, rateWindow } from './jobbers-limits.ts';
import { diagramTransition, setStatus } from './jobbers-moves.ts';
import { type JobbersCase, optionsOf } from './jobbers-options.ts';
import { cancelRequest, stallCheck } from './jobbers-requests.ts';
import { type OnScene, scenesOn } from './jobbers-scene.ts';
import { runPolicy, shownDelays } from './run-policy.ts';
import { pick, type Runner, randomOf, type SystemRunners } from './runner.ts';

interface DelayCase extends JobbersCase {
  readonly attempt: number;
  readonly attempt_base: number;
  readonly u?: number;
}

const delay: Runner = {
  schema: { attempt: integer, attempt_base: integer, u: optional(number), ...expected({ delay: number }) },
  answer: (given: DelayCase) => {
    const { policy } = fromJobbers(optionsOf(given));
    const retry = given.attempt - given.attempt_base + 1;
    return { delay: computeDelay(policy, retry, { random: randomOf(given.u) }) / 1_000 };
  },
  expected: (given: DelayCase) => pick(given, ['delay']),
};

interface SequenceCase extends Omit<DelayCase, 'attempt' | 'attempt_base'> {
  readonly failure: string;
  readonly delays?: readonly number[];
}

const retrySequence: Runner = {
  schema: {
    failure: text,
    u: optional(number),
    ...expected({
      delays: listOf(number),
      total_executions: either(integer, oneOf('unlimited')),
      retry_attempt_at_end: integer,
      final_status: oneOf('completed', 'failed'),
    }),
  },
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
      delays: shownDelays(run, given.delays),
      total_executions: run.executions,
      retry_attempt_at_end: run.delaysMs.length,
      final_status: run.end === undefined ? 'completed' : 'failed',
    };
  },
  expected: (given: SequenceCase) =>
    pick(given, ['delays', 'total_executions', 'retry_attempt_at_end', 'final_status']),
};

const validation: Runner = {
  schema: { ...expected({ result: text }) },
  answer: (given: JobbersCase) => {
    try {
      fromJobbers(optionsOf(given));
      return { result: 'accepted' };
    } catch (error) {
      if (isRetryError(error, 'INVALID_OPTIONS')) return { result: 'ValidationError' };
      throw error;
    }
  },
  expected: (given: JobbersCase & { readonly result: string }) => ({
    result: given.result === 'ValidationError' ? given.result : 'accepted',
  }),
};

/** The runners of the kinds whose cases a worker runs on a broker. */
export function playedKinds(onScene: OnScene): SystemRunners['runners'] {
  return {
    stall_check: stallCheck(onScene),
    cancel_request: cancelRequest(onScene),
    dlq_resubmit: dlqResubmit(onScene),
    interruption: interruption(onScene),
    lifecycle: lifecycle(onScene),
    queue_concurrency: queueConcurrency(onScene),
    rate_window: rateWindow(onScene),
  };
}

export const jobbers: SystemRunners = {
  system: 'jobbers',
  versions: ['7b5465f', 'main@06fcd8c'],
  runners: {
    delay,
    retry_sequence: retrySequence,
    validation,
    diagram_transition: diagramTransition,
    set_status: setStatus,
    ...playedKinds(scenesOn(openMemoryStage)),
  },
};
