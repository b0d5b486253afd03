import { boolean, expected, integer, listOf, number } from './case-schema.ts';
import type { OnScene } from './jobbers-scene.ts';
import { hang, jobbersTask } from './jobbers-scene.ts';
import { pick, type Runner } from './runner.ts';

interface QueueConcurrencyCase {
  readonly config: { readonly max_concurrent: number | null };
  readonly active: number;
}

/** Returns whether a worker with this number of running runs of a lane claims one more; 0 and `null`: no limit. */
export const queueConcurrency = (onScene: OnScene): Runner => ({
  schema: { active: integer, ...expected({ queue_offered: boolean }) },
  answer: ({ config: { max_concurrent }, active }: QueueConcurrencyCase) =>
    onScene(async ({ clock, queue, startWorker }) => {
      const task = jobbersTask({ config: {} }, { run: hang, maxConcurrent: max_concurrent || Infinity });
      await queue.submitMany(task, Array<null>(active).fill(null));
      await startWorker([task]);
      const { id } = await queue.submit(task, null);
      await clock.advance(0);
      const run = await queue.get(id);
      return { queue_offered: run?.state === 'started' };
    }),
  expected: (given: QueueConcurrencyCase) => pick(given, ['queue_offered']),
});

interface RateWindowCase {
  readonly config: {
    readonly rate_numerator: number;
    readonly rate_denominator: number;
    readonly rate_period: string;
  };
  readonly submit_times: readonly number[];
}

const SECONDS: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3_600, day: 86_400 };

/**
 * In Jobbers a queue refuses submissions, here a task limits its starts: if a worker is free immediately and a reached
 * limit ends the run, both run the same ones. A refused run is lost in Jobbers, and `rateLimited` here.
 */
export const rateWindow = (onScene: OnScene): Runner => ({
  schema: { submit_times: listOf(number), ...expected({ accepted: listOf(boolean) }) },
  answer: ({ config, submit_times }: RateWindowCase) =>
    onScene(async ({ clock, queue, startWorker }) => {
      const { rate_numerator, rate_denominator, rate_period } = config;
      const window = rate_denominator * (SECONDS[rate_period] ?? Number.NaN) * 1_000;
      const rateLimit = { limit: rate_numerator, window };
      const run = (): null => null;
      const task = jobbersTask({ config: {} }, { run, rateLimit, whenFull: 'end', maxConcurrent: 100 });
      await startWorker([task]);
      const states: (string | undefined)[] = [];
      for (const seconds of submit_times) {
        await clock.advance(seconds * 1_000 - clock.now());
        const { id } = await queue.submit(task, null);
        await clock.advance(0);
        states.push((await queue.get(id))?.state);
      }
      // Nothing is lost: each run has ended in one of the two ways.
      return {
        accepted: states.map((state) => (state === 'rateLimited' ? false : state === 'completed' || state)),
      };
    }),
  expected: (given: RateWindowCase) => pick(given, ['accepted']),
});
