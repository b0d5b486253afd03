import { settingsOf } from '@retry/core/fields';
import type { TaskContext } from '@retry/worker';
import { expected, listOf, record, text } from './case-schema.ts';
import { makeErrorClasses } from './error-classes.ts';
import type { JobbersCase } from './jobbers-options.ts';
import { readScenario } from './jobbers-scenario.ts';
import type { JobbersRecord, JobbersScene, OnScene } from './jobbers-scene.ts';
import { hang, jobbersTask, withAllTimestamps } from './jobbers-scene.ts';
import type { Runner } from './runner.ts';

export interface LifecycleCase extends JobbersCase {
  readonly scenario: string;
  readonly result: JobbersRecord;
  readonly after_each_run?: readonly Partial<JobbersRecord>[];
}

/** When a worker first polls the queue. */
const PICKED_UP_MS = 10_000;

/** A task from its submission at 0 through a worker at 10 s, which starts one run at a time. */
export const lifecycle = (onScene: OnScene): Runner => ({
  schema: { scenario: text, ...expected({ result: record, after_each_run: listOf(record) }) },
  answer: (given: LifecycleCase) =>
    onScene(async (scene) => {
      const classOf = makeErrorClasses();
      const script = readScenario(given);
      const { raises, failures, hangs } = script;
      const run = (_: null, ctx: TaskContext): unknown => {
        const { attempt } = ctx;
        if (hangs && attempt <= failures) return hang(_, ctx);
        if (raises !== undefined && attempt <= failures) throw new (classOf(raises))();
        return 'done';
      };
      // One start per worker, so that the run can be checked after each.
      const rateLimit = { limit: 1, window: '1d' } as const;
      const task = jobbersTask(given, { run, rateLimit }, classOf);
      const other = jobbersTask(given, { name: 'other', run });
      const { id } = await scene.queue.submit(task, null);
      await scene.clock.advance(PICKED_UP_MS);
      const after = await lookAfterEachRun(scene, {
        id,
        runs: script.runs,
        task: script.isKnown ? task : other,
        startedAt: startsOf(given),
      });
      const looks = isCutAtOnce(given) ? after.map(inHundredths) : after;
      return { result: looks.at(-1), after_each_run: looks };
    }),
  expected: ({ result, after_each_run }: LifecycleCase) => ({
    result: withAllTimestamps(result),
    ...(after_each_run !== undefined && { after_each_run: after_each_run.map(withAllTimestamps) }),
  }),
});

/** docs/dialects.md: a timeout of 0 is a millisecond here, as no attempt is over before it has begun. */
function isCutAtOnce({ config: { timeout } }: LifecycleCase): boolean {
  return typeof timeout === 'number' && timeout < 0.001;
}

/** The tolerance, for a few additional milliseconds. */
function inHundredths(record: JobbersRecord): JobbersRecord {
  const cut = (seconds: number): number => Math.floor(seconds * 100) / 100;
  const timestamps = Object.entries(record.timestamps).map(([key, at]) => [
    key,
    at === undefined ? at : cut(at),
  ]);
  return {
    ...record,
    timestamps: Object.fromEntries(timestamps),
    run_at: record.run_at === null ? null : cut(record.run_at),
  };
}

interface Looks {
  readonly id: string;
  readonly runs: number;
  readonly task: ReturnType<typeof jobbersTask>;
  /** When a worker polls for each run, in seconds, if the case specifies it; otherwise when the run is due. */
  readonly startedAt: readonly (number | undefined)[];
}

/** A due run is started when a worker polls; the case specifies when, at least for the last run. */
function startsOf({ result, after_each_run }: LifecycleCase): readonly (number | undefined)[] {
  if (after_each_run !== undefined) return after_each_run.map(({ timestamps }) => timestamps?.['retried_at']);
  const { active_index, retry_attempt, timestamps } = result;
  // A scheduled retry is counted already.
  const runs = active_index ? retry_attempt : retry_attempt + 1;
  return [...Array<undefined>(Math.max(runs - 1, 0)), timestamps['retried_at']];
}

async function lookAfterEachRun(
  scene: JobbersScene,
  { id, runs, task, startedAt }: Looks,
): Promise<readonly JobbersRecord[]> {
  const records: JobbersRecord[] = [];
  let isOver = false;
  while (!isOver && records.length < runs) {
    const worker = await scene.startWorker([task]);
    const { attemptTimeoutMs } = settingsOf(task.retry);
    await scene.clock.advance(Number.isFinite(attemptTimeoutMs) ? attemptTimeoutMs : 0);
    await worker.stop();
    const look = await scene.look(id);
    records.push(look);
    isOver = !look.active_index;
    const isLast = isOver || records.length >= runs;
    const nextAt = Math.max(look.run_at ?? 0, startedAt[records.length] ?? 0) * 1_000;
    if (!isLast && nextAt > scene.clock.now()) await scene.clock.advance(nextAt - scene.clock.now());
  }
  return records;
}
