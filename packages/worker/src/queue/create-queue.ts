import type { Clock, Duration } from '@retry/core';
import type { Audit, Broker, CancelAnswer, Run, Submission, SubmitAnswer } from '@retry/core/broker';
import { systemClock } from '../clock.ts';
import type { Task } from '../task/task.ts';
import { coalesce } from './coalesce.ts';
import type { DeadLetters } from './dead-letters.ts';
import { createDeadLetters } from './dead-letters.ts';
import { prepareSubmission } from './prepare-submission.ts';
import type { WaitForResult } from './wait-for-result.ts';
import { waitForResult } from './wait-for-result.ts';

/** What belongs to one submission. */
export interface SubmitOptions {
  /** Idempotency key: a second submission of the same key is the first one. It becomes the run's id. */
  readonly key?: string;
  /** Not before this instant, in epoch milliseconds. */
  readonly runAt?: number;
  /** Not before this long from now. */
  readonly delay?: Duration;
  /** Runs of one key start at most `limit` at a time, over all workers. */
  readonly concurrency?: { readonly key: string; readonly limit: number };
}

/** A submitted run. */
export interface Submitted {
  readonly id: string;
  /** `false` when its key was known already; nothing was submitted then. */
  readonly isNew: boolean;
}

/** The producer's side: submits runs and looks after them. */
export interface Queue {
  /** @throws {PayloadError} when the payload must not be kept, or an option is wrong */
  readonly submit: <Payload>(
    task: Task<Payload, unknown>,
    payload: Payload,
    options?: SubmitOptions,
  ) => Promise<Submitted>;
  /** All or none: one bad payload refuses them all. */
  readonly submitMany: <Payload>(
    task: Task<Payload, unknown>,
    payloads: readonly Payload[],
    options?: Omit<SubmitOptions, 'key'>,
  ) => Promise<readonly Submitted[]>;
  readonly get: (id: string) => Promise<Run | undefined>;
  /** The result of a run, once it has completed. @throws {RunFailedError} when it ends otherwise */
  readonly waitForResult: WaitForResult;
  readonly cancel: (id: string) => Promise<CancelAnswer>;
  /** How many runs are where. */
  readonly counts: () => Promise<Audit>;
  readonly deadLetters: DeadLetters;
}

/** A queue over a broker. */
export function createQueue({
  broker,
  clock = systemClock,
}: {
  readonly broker: Broker;
  readonly clock?: Clock;
}): Queue {
  const submit = coalesce<Submission, SubmitAnswer>((submissions) => broker.submit(submissions));
  const cancel = coalesce<string, CancelAnswer>((ids) => broker.cancel(ids));
  return {
    submit: async (task, payload, options = {}) => {
      const submission = await prepareSubmission(task, payload, options);
      return { id: submission.id, isNew: (await submit(submission)) === 'created' };
    },
    submitMany: async (task, payloads, options = {}) => {
      const submissions = await Promise.all(
        payloads.map((payload) => prepareSubmission(task, payload, options)),
      );
      const answers = await broker.submit(submissions);
      return submissions.map(({ id }, index) => ({ id, isNew: answers[index] === 'created' }));
    },
    get: async (id) => (await broker.get([id]))[0],
    waitForResult: (id, options) => waitForResult({ broker, clock }, id, options),
    cancel,
    counts: () => broker.audit(),
    deadLetters: createDeadLetters(broker, clock),
  };
}
