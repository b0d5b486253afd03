import type { TaskContext } from '@retry/worker';
import { makeErrorClasses } from './error-classes.ts';
import type { JobbersCase } from './jobbers-options.ts';
import { readScenario } from './jobbers-scenario.ts';
import type { JobbersRecord, JobbersScene, OnScene } from './jobbers-scene.ts';
import { jobbersTask, never, withAllTimestamps } from './jobbers-scene.ts';
import type { Runner } from './runner.ts';

export interface LifecycleCase extends JobbersCase {
  readonly scenario: string;
  readonly result: JobbersRecord;
  readonly after_each_run?: readonly Partial<JobbersRecord>[];
}

/** When a worker first looks into the queue. */
const PICKED_UP_MS = 10_000;

/** A task from its submission at 0 through a worker at 10 s, which starts one run at a time. */
export const lifecycle = (onScene: OnScene): Runner => ({
  answer: (given: LifecycleCase) =>
    onScene(async (scene) => {
      const classOf = makeErrorClasses();
      const script = readScenario(given);
      const { raises, failures, hangs } = script;
      const run = (_: null, { attempt }: TaskContext): unknown => {
        if (hangs) return never();
        if (raises !== undefined && attempt <= failures) throw new (classOf(raises))();
        return 'done';
      };
      // One start per worker, so that one can look after each.
      const rateLimit = { limit: 1, window: '1d' } as const;
      const task = jobbersTask(given, { run, rateLimit }, classOf);
      const other = jobbersTask(given, { name: 'other', run });
      const { id } = await scene.queue.submit(task, null);
      await scene.clock.advance(PICKED_UP_MS);
      const after = await lookAfterEachRun(scene, {
        id,
        runs: script.runs,
        task: script.isKnown ? task : other,
      });
      return { result: after.at(-1), after_each_run: after };
    }),
  expected: ({ result, after_each_run }: LifecycleCase) => ({
    result: withAllTimestamps(result),
    ...(after_each_run !== undefined && { after_each_run: after_each_run.map(withAllTimestamps) }),
  }),
});

interface Looks {
  readonly id: string;
  readonly runs: number;
  readonly task: ReturnType<typeof jobbersTask>;
}

async function lookAfterEachRun(
  scene: JobbersScene,
  { id, runs, task }: Looks,
): Promise<readonly JobbersRecord[]> {
  const records: JobbersRecord[] = [];
  let isOver = false;
  while (!isOver && records.length < runs) {
    const worker = await scene.startWorker([task]);
    await scene.clock.advance(Number.isFinite(task.timeoutMs) ? task.timeoutMs : 0);
    await worker.stop();
    const record = await scene.look(id);
    records.push(record);
    isOver = !record.active_index;
    const isLast = isOver || records.length >= runs;
    if (!isLast && record.run_at !== null)
      await scene.clock.advance(record.run_at * 1_000 - scene.clock.now());
  }
  return records;
}
