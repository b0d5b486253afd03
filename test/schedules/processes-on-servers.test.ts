import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Broker } from '@retry/core/broker';
import type { Queue } from '@retry/worker';
import { createQueue } from '@retry/worker';
import { afterEach, expect, it } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { startProgram } from '../support/programs/start-program.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { tick } from './fixtures/tick.ts';

/** How many processes fire, how many schedules of one second there are, and for how long. */
const PROCESSES = 3;
const SCHEDULES = 10;
const FIRING_MS = 12_000;

/** How often one of the processes is killed, and replaced by another. */
const KILL_EVERY_MS = 1_500;

const fixture = fileURLToPath(new URL('fixtures/firing-program.ts', import.meta.url));
const children = new Set<ChildProcess>();

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

interface Started {
  readonly id: string;
  readonly epoch: number;
}

function startWorker(args: readonly string[], started: Started[]): ChildProcess {
  const child = startProgram([fixture, ...args]);
  children.add(child);
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => started.push(JSON.parse(line) as Started)); // what the fixture prints
  return child;
}

/** Resolves when the worker has ended and all that it printed has been read. */
async function end(worker: ChildProcess): Promise<void> {
  worker.kill('SIGTERM');
  await once(worker, 'close');
}

/** Whether a run waits, is under way, or was taken from a killed process and waits for its turn. */
async function hasWork(queue: Queue): Promise<boolean> {
  const { submitted, scheduled, started } = await queue.counts();
  return submitted + scheduled + started > 0;
}

/** Fires schedules by processes of which one is killed again and again. */
async function fireByMortals(broker: Broker, args: readonly string[]): Promise<readonly Started[]> {
  const queue = createQueue({ broker });
  const started: Started[] = [];
  const workers = Array.from({ length: PROCESSES }, () => startWorker(args, started));
  const make = (index: number, payload: unknown): Promise<unknown> =>
    queue.schedule(`s${index}`, { task: tick, payload, every: '1s', missed: { all: 100 } });
  for (let index = 0; index < SCHEDULES; index += 1) await make(index, 0);
  while (started.length === 0) await rest(50); // a worker looks within a minute, and these when they start
  const endAt = Date.now() + FIRING_MS;
  for (let round = 1; Date.now() < endAt; round += 1) {
    await rest(KILL_EVERY_MS);
    await make(round % SCHEDULES, round); // one is changed while it fires
    const victim = workers.shift();
    victim?.kill('SIGKILL');
    workers.push(startWorker(args, started));
  }
  for (let index = 0; index < SCHEDULES; index += 1) await queue.unschedule(`s${index}`);
  await Promise.all(workers.map(end)); // one of them may have submitted after `unschedule` what it had taken on before
  const last = startWorker(args, started);
  while (await hasWork(queue)) await rest(50);
  await end(last);
  return started;
}

/** Each instant of each schedule once, and none left out. A run whose worker was killed starts again, with another epoch. */
async function expectEachOnce(broker: Broker, started: readonly Started[]): Promise<void> {
  const firsts = started.filter(({ epoch }) => epoch === 1).map(({ id }) => id);
  expect(firsts.length).toBeGreaterThan((SCHEDULES * FIRING_MS) / 2_000);
  expect(firsts).toHaveLength(new Set(firsts).size);
  const ids = new Set(started.map(({ id }) => id));
  expect((await broker.audit()).created).toBe(ids.size);
  for (let index = 0; index < SCHEDULES; index += 1) {
    const own = [...ids].filter((id) => id.startsWith(`@schedule/s${index}@`));
    const instants = own.map((id) => Date.parse(id.slice(id.lastIndexOf('@') + 1))).sort();
    const [first = 0] = instants;
    expect(instants).toEqual(instants.map((_, step) => first + step * 1_000));
  }
}

describeOnRedis('processes that fire schedules on Redis', (server) => {
  it('fire each instant once while they are killed and schedules change', async () => {
    const harness = await openRedisHarness(server().url, { keepCompleted: { count: 0 } });

    const started = await fireByMortals(harness.broker, ['redis', server().url, harness.prefix]);

    await expectEachOnce(harness.broker, started).finally(harness.close);
  });
});

describeOnPostgres('processes that fire schedules on Postgres', (server) => {
  it('fire each instant once while they are killed and schedules change', async () => {
    const pool = openPool(server().url, 4);
    const schema = await createTestSchema(pool);
    const harness = await schema.open({ keepCompleted: { count: 0 } });

    const started = await fireByMortals(harness.broker, ['postgres', server().url, schema.name]);

    await expectEachOnce(harness.broker, started);
    await harness.close();
    await schema.drop();
    await pool.end();
  });
});
