import { redriveRuns } from '@retry/core/broker/kit';
import type { TaskContext } from '@retry/worker';
import { expected, oneOf, optional, record, text } from './case-schema.ts';
import { makeErrorClasses } from './error-classes.ts';
import type { JobbersCase } from './jobbers-options.ts';
import type { JobbersRecord, JobbersScene, OnScene } from './jobbers-scene.ts';
import { hang, jobbersTask, withAllTimestamps } from './jobbers-scene.ts';
import type { Runner } from './runner.ts';

export interface InterruptionCase extends JobbersCase {
  readonly scenario: string;
  readonly result: JobbersRecord & { readonly function_finished_when_worker_returns: boolean };
}

/** A lease whose heartbeats come every second, at 7 s as well: by the next one at the latest a cancel request arrives. */
const LEASE = '3s';
const INTERRUPTED_AT = 7_000;

/** A run that has been retried once is interrupted at 7 s; its function would finish at 17 s. */
export const interruption = (onScene: OnScene): Runner => ({
  schema: {
    scenario: oneOf('user cancellation', 'worker shutdown'),
    ...expected({ result: record }),
    // How the function of the task is stopped is specific to Python.
    raised: optional(text),
  },
  answer: (given: InterruptionCase) =>
    onScene(async (scene) => {
      const { clock, queue } = scene;
      const classOf = makeErrorClasses();
      let isFinished = false;
      const work = async (_: null, ctx: TaskContext): Promise<void> => {
        if (ctx.attempt === 1) throw new (classOf('ValueError'))();
        const done = new Promise<void>((resolve) => void clock.setTimer(resolve, 17_000 - clock.now()));
        await Promise.race([done, hang(_, ctx)]);
        isFinished = true;
      };
      const config = { expected_exceptions: ['ValueError'], ...given.config };
      const task = jobbersTask({ ...given, config }, { run: work }, classOf);
      const { id } = await queue.submit(task, null);
      // Its timer was set before that of the heartbeat at the same instant.
      if (given.scenario === 'user cancellation') clock.setTimer(() => void queue.cancel(id), INTERRUPTED_AT);
      const worker = await scene.startWorker([task], { lease: LEASE });
      await clock.advance(INTERRUPTED_AT);
      if (given.scenario === 'worker shutdown') await shutDown(scene, worker);
      const look = await scene.look(id);
      // Its first attempt, before its one retry, is not part of the interruption.
      return { ...look, errors: look.errors - 1, function_finished_when_worker_returns: isFinished };
    }),
  expected: ({ result }: InterruptionCase) => result,
});

async function shutDown(
  { clock }: JobbersScene,
  worker: { readonly stop: () => Promise<void> },
): Promise<void> {
  let hasStopped = false;
  const stopped = worker.stop().then(() => {
    hasStopped = true;
  });
  // A worker that waits for its runs stops when they end.
  for (let seconds = 0; !hasStopped && seconds < 30; seconds += 1) {
    await clock.advance(0);
    if (!hasStopped) await clock.advance('1s');
  }
  await stopped;
}

export interface DeadLetterCase extends JobbersCase {
  readonly config: JobbersCase['config'] & { readonly reset_retry_count: boolean };
  readonly before: JobbersRecord;
  readonly after: JobbersRecord;
}

/** A run that fails finally at 0 and is redriven at 100 s, without a worker. */
export const dlqResubmit = (onScene: OnScene): Runner => ({
  schema: { before: record, ...expected({ after: record }) },
  answer: ({ config: { reset_retry_count, ...config }, version, before }: DeadLetterCase) =>
    onScene(async (scene) => {
      const options = {
        ...config,
        dead_letter_policy: 'save',
        max_retries: before.retry_attempt,
        expected_exceptions: ['ValueError'],
      } as const;
      const classOf = makeErrorClasses();
      const run = (): never => {
        throw new (classOf('ValueError'))();
      };
      const task = jobbersTask(
        { config: options, ...(version !== undefined && { version }) },
        { run },
        classOf,
      );
      const { id } = await scene.queue.submit(task, null);
      const worker = await scene.startWorker([task]);
      await worker.stop();
      const failed = await scene.look(id);
      await scene.clock.advance('100s');
      // The queue would refuse to keep attempts that are used up, so the broker is called directly.
      await redriveRuns(scene.broker, [id], { keepAttempts: !reset_retry_count });
      return { before: failed, after: await scene.look(id) };
    }),
  expected: ({ before, after }: DeadLetterCase) => ({
    before: withAllTimestamps(before),
    after: withAllTimestamps(after),
  }),
});
