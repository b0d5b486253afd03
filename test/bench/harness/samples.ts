import type { Place } from '../queues/contender.ts';
import { actorOf, endActors } from './actors.ts';
import { rest } from './clock.ts';
import type { Actor, Finished, Submission } from './protocol.ts';
import type { BenchServer } from './server.ts';

/** One measurement of one contender. */
export interface Sample {
  /** In the unit of its table. */
  readonly value: number;
  /** The 99th percentile, where the value is a median. */
  readonly p99?: number;
  /** How long it took. */
  readonly ms?: number;
  /** Seconds of processor time per 10 000 runs. */
  readonly clientCpu?: number;
  readonly serverCpu?: number;
  /** Bytes of write-ahead log per run. */
  readonly wal?: number;
}

/** A backlog, and how it is worked off. */
export interface Load {
  readonly count: number;
  readonly concurrency: number;
  /** @default 0, a small object */
  readonly bytes?: number;
  /** @default 0 */
  readonly handlerMs?: number;
  /** @default 0 */
  readonly failures?: number;
  /** @default 1 */
  readonly tasks?: number;
  /** @default 1 */
  readonly processes?: number;
  /** All runs become due at one instant, before the worker starts or while it runs. @default due at once */
  readonly due?: 'before' | 'while';
}

/** Where the contenders of one sample work. */
export interface Stage {
  readonly server: BenchServer;
  readonly contender: string;
}

const NAME = 'bench_queue';
/** A sample in which nothing has moved for so long is given up. */
const PATIENCE_MS = 30_000;

/** The backlog was not submitted before it was due. */
class TooLateError extends Error {}

/** Executions per second, from the start of the worker (or the due instant) to the last acknowledged settlement. */
export async function workOff(stage: Stage, load: Load): Promise<Sample> {
  for (let leadMs = 2_000 + load.count / 25; ; leadMs *= 2) {
    try {
      return await workOffOnce(stage, load, leadMs);
    } catch (error) {
      endActors(stage.contender);
      if (!(error instanceof TooLateError) || leadMs > 60_000) throw error;
    }
  }
}

async function workOffOnce({ server, contender }: Stage, load: Load, leadMs: number): Promise<Sample> {
  const { count, failures = 0, processes = 1, due } = load;
  const actors = Array.from({ length: processes }, (_, index) => actorOf(contender, index));
  const [first] = actors;
  if (first === undefined) throw new Error('No process.');
  // In a process of its own: its garbage would else be collected while the worker is measured.
  const producer = actorOf(contender, 'producer');
  await openAll(server, contender, [...actors, producer]);
  const job = { handlerMs: 0, tasks: 1, ...load, failures };
  const submit = (dueAt?: number) =>
    producer.submit({ bytes: 0, ...load, failures, way: 'bulk', ...(dueAt !== undefined && { dueAt }) });
  let from = 0;
  const dueAt = due === undefined ? undefined : Date.now() + leadMs;
  const untilDue = async (): Promise<void> => {
    if (dueAt === undefined) return;
    if (Date.now() > dueAt) throw new TooLateError('The backlog was not submitted before it was due.');
    await rest(dueAt - Date.now());
  };
  if (due === 'while') await startAll(actors, job);
  await submit(dueAt);
  if (due === 'before') await untilDue();
  const before = await server.read();
  if (due !== 'while') await startAll(actors, job);
  else {
    await untilDue();
    from = Number(process.hrtime.bigint()) / 1e6;
  }
  await untilDone(actors, count);
  const settledAt = await first.untilSettled();
  const after = await server.read();
  const finished = await Promise.all(actors.map((actor) => actor.finish()));
  await check(first, finished, { count, executions: failures + 1 });
  await Promise.all([...actors, producer].map((actor) => actor.close()));
  const startedAt = from || Math.min(...finished.map((one) => one.startedAt));
  const endedAt = settledAt ?? Math.max(...finished.map(({ lastAt }) => lastAt));
  const runs = count / 10_000;
  return {
    value: ((count * (failures + 1)) / (endedAt - startedAt)) * 1_000,
    ms: endedAt - startedAt,
    // A worker that was started before the backlog has also waited for it.
    ...(due !== 'while' && { clientCpu: sum(finished.map(({ cpuMs }) => cpuMs)) / 1_000 / runs }),
    serverCpu: (after.cpuMs - before.cpuMs) / 1_000 / runs,
    ...(after.walBytes !== undefined && { wal: (after.walBytes - (before.walBytes ?? 0)) / count }),
  };
}

/** Submissions per second, from the first call to the last answer. */
export async function submit({ server, contender }: Stage, submission: Submission): Promise<Sample> {
  const actor = actorOf(contender);
  const { count } = submission;
  await openAll(server, contender, [actor]);
  const before = await server.read();
  const { ms, cpuMs } = await actor.submit(submission);
  const after = await server.read();
  const { left } = await actor.count();
  if (left !== count) throw new Error(`${left} of ${count} runs are waiting.`);
  await actor.close();
  const runs = count / 10_000;
  return {
    value: (count / ms) * 1_000,
    ms,
    clientCpu: cpuMs / 1_000 / runs,
    serverCpu: (after.cpuMs - before.cpuMs) / 1_000 / runs,
    ...(after.walBytes !== undefined && { wal: (after.walBytes - (before.walBytes ?? 0)) / count }),
  };
}

/** Milliseconds from the call of submit in one process to the start of the handler in another, idle one. */
export async function latencies(
  { server, contender }: Stage,
  { count, everyMs }: { readonly count: number; readonly everyMs: number },
): Promise<readonly number[]> {
  const [producer, consumer] = [actorOf(contender, 0), actorOf(contender, 1)];
  await openAll(server, contender, [producer, consumer]);
  await consumer.start({ count, concurrency: 10, handlerMs: 0, failures: 0, tasks: 1 });
  await rest(300);
  await producer.trickle(count, everyMs);
  await untilDone([consumer], count);
  const finished = await consumer.finish();
  await check(producer, [finished], { count, executions: 1 });
  await Promise.all([producer.close(), consumer.close()]);
  return [...finished.waits].sort((one, other) => one - other);
}

/** Opens one after the other: the first creates the tables. */
export async function openAll(
  server: BenchServer,
  contender: string,
  actors: readonly Actor[],
): Promise<void> {
  await server.clear();
  const place: Place = { url: server.url, name: NAME };
  for (const actor of actors) await actor.open(contender, place);
}

function startAll(actors: readonly Actor[], job: Parameters<Actor['start']>[0]): Promise<unknown> {
  return Promise.all(actors.map((actor) => actor.start(job)));
}

async function untilDone(actors: readonly Actor[], count: number): Promise<void> {
  let [known, movedAt] = [-1, performance.now()];
  for (;;) {
    const done = sum(await Promise.all(actors.map((actor) => actor.done())));
    if (done >= count) return;
    if (done !== known) [known, movedAt] = [done, performance.now()];
    if (performance.now() - movedAt > PATIENCE_MS)
      throw new Error(`It stopped after ${done} of ${count} runs.`);
    await rest(10);
  }
}

/** Every run was executed as often as it had to be, and by the library's own count nothing is left. */
async function check(
  actor: Actor,
  finished: readonly Finished[],
  { count, executions }: { readonly count: number; readonly executions: number },
): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const times = sum(finished.map(({ executed }) => executed[n] ?? 0));
    if (times !== executions) throw new Error(`Run ${n} was executed ${times} times.`);
  }
  const { left, completed = count } = await actor.count();
  if (left !== 0 || completed !== count)
    throw new Error(`${left} runs are left and ${completed} of ${count} completed.`);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
