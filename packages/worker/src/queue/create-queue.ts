import type { Clock, Duration } from '@retry/core';
import type { Audit, Broker, CancelAnswer, Run, Submission, SubmitAnswer } from '@retry/core/broker';
import { systemClock } from '../clock.ts';
import type { Emitter, Trouble } from '../emitter.ts';
import { createEmitter } from '../emitter.ts';
import type { AnyTask, TaskFor } from '../task/task.ts';
import { within } from '../within.ts';
import { coalesce } from './coalesce.ts';
import type { DeadLetters } from './dead-letters.ts';
import { createDeadLetters } from './dead-letters.ts';
import { prepareSubmission } from './prepare-submission.ts';
import type { RunResult } from './run-result.ts';
import { runResult } from './run-result.ts';
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
  /**
   * The client that began your transaction, where the broker lives in your database: the run is kept once that commits.
   * Idle workers find it at their next look, unless the broker is told to wake them.
   */
  readonly tx?: unknown;
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
    task: TaskFor<Payload>,
    payload: NoInfer<Payload>,
    options?: SubmitOptions,
  ) => Promise<Submitted>;
  /** All or none: one bad payload refuses them all. */
  readonly submitMany: <Payload>(
    task: TaskFor<Payload>,
    payloads: readonly NoInfer<Payload>[],
    options?: Omit<SubmitOptions, 'key'>,
  ) => Promise<readonly Submitted[]>;
  readonly get: (id: string) => Promise<Run | undefined>;
  /** How the run stands: state, result, attempts, retries and errors so far. */
  readonly result: (id: string) => Promise<RunResult | undefined>;
  /** The result of a run, once it has completed. @throws {RunFailedError} when it ends otherwise */
  readonly waitForResult: WaitForResult;
  readonly cancel: (id: string) => Promise<CancelAnswer>;
  /** How many runs are where. */
  readonly counts: () => Promise<Audit>;
  readonly deadLetters: DeadLetters;
  /** Listens to an event; also on `node:diagnostics_channel` as `retry:queue:<event>`. */
  readonly on: Emitter<QueueEvents>['on'];
}

/** Events of a queue and what they carry. */
export interface QueueEvents {
  /** A new run is kept; a known key submits nothing. */
  readonly submitted: { readonly id: string; readonly task: string; readonly version: string };
  /** A listener threw. */
  readonly error: Trouble;
}

/** What a queue works with. */
export interface QueueOptions {
  readonly broker: Broker;
  /** @default the runtime's own clock */
  readonly clock?: Clock;
}

/** A queue over a broker. */
export function createQueue({ broker, clock = systemClock }: QueueOptions): Queue {
  const emitter = createEmitter<QueueEvents>('queue');
  const get = async (id: string): Promise<Run | undefined> => (await broker.get([id]))[0];
  return {
    ...createSubmitting(broker, emitter),
    get,
    result: async (id) => {
      const run = await get(id);
      return run && runResult(run);
    },
    waitForResult: (id, options) => waitForResult({ broker, clock }, id, options),
    cancel: coalesce<string, CancelAnswer>((ids) => broker.cancel(ids)),
    counts: () => broker.audit(),
    deadLetters: createDeadLetters(broker, clock),
    on: emitter.on,
  };
}

function createSubmitting(
  broker: Broker,
  emitter: Emitter<QueueEvents>,
): Pick<Queue, 'submit' | 'submitMany'> {
  const send = coalesce<Submission, SubmitAnswer>((submissions) => broker.submit(submissions), {
    outstanding: broker.submitsInOrder === true ? 2 : 1,
  });
  const tell = (
    { name, version }: AnyTask,
    { id }: Submission,
    answer: SubmitAnswer | undefined,
  ): Submitted => {
    const isNew = answer === 'created';
    if (isNew) emitter.emit('submitted', () => ({ id, task: name, version }));
    return { id, isNew };
  };
  return {
    submit: async (task, payload, options = {}) => {
      const submission = await prepareSubmission(task, payload, options);
      const { tx } = options;
      if (tx === undefined) return tell(task, submission, await send(submission));
      return tell(task, submission, (await within(broker, tx).submit([submission]))[0]);
    },
    submitMany: async (task, payloads, options = {}) => {
      const prepared = payloads.map((payload) => prepareSubmission(task, payload, options));
      const submissions = await Promise.all(prepared);
      const answers = await (options.tx === undefined ? broker : within(broker, options.tx)).submit(
        submissions,
      );
      return submissions.map((submission, index) => tell(task, submission, answers[index]));
    },
  };
}
