import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Broker } from '@retry/core/broker';
import { createPostgresBroker } from '@retry/postgres';
import { createRedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker } from '@retry/worker';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createTestSchema, openPool } from '../postgres/open-broker.ts';
import { nodeArgs } from '../support/programs/node-args.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { removeKeys } from '../support/servers/remove-keys.ts';
import { blockingTask } from './fixtures/blocking-task.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/blocking.ts', import.meta.url));
const LEASE_MS = 900;

interface Line {
  readonly type: string;
  readonly [fact: string]: unknown;
}

/** Where the workers of one test meet. */
interface Meeting {
  readonly broker: Broker;
  readonly args: readonly string[];
  readonly close: () => Promise<void>;
}

const children: ChildProcess[] = [];
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blocked-loop-'));
});

afterAll(() => rm(folder, { recursive: true }));

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Starts a process that blocks its event loop. @returns what it has written so far, and its process */
function startBlocking({ args }: Meeting, options: object) {
  const given = JSON.stringify({ lease: LEASE_MS, cleanerInterval: 200, ...options });
  const child = spawn(process.execPath, [...nodeArgs(), FIXTURE, ...args, given], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let written = '';
  let warned = '';
  child.stdout.on('data', (chunk) => {
    written += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    warned += String(chunk);
  });
  const lines = (): readonly Line[] =>
    written
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  const until = async (type: string): Promise<Line> => {
    for (;;) {
      const found = lines().find((line) => line.type === type);
      if (found !== undefined) return found;
      if (child.exitCode !== null) throw new Error(`It has ended: ${written}${warned}`);
      await rest(20);
    }
  };
  return { child, lines, until, warned: () => warned };
}

/** Starts a worker in this process, which claims what the other one loses. */
function startNeighbour({ broker }: Meeting) {
  const counts = { executions: 0, stalls: 0, fenced: 0 };
  const task = blockingTask(async () => {
    counts.executions += 1;
  });
  const worker = createWorker({
    broker,
    tasks: [task],
    lease: LEASE_MS,
    cleanerInterval: 100,
    leaseRenewal: 'loop',
    signals: [],
  });
  worker.on('stalled', () => {
    counts.stalls += 1;
  });
  worker.on('fenced', () => {
    counts.fenced += 1;
  });
  worker.start();
  return { counts, stop: worker.stop };
}

function describeBlockedLoops(meet: () => Promise<Meeting>): void {
  let meeting: Meeting;
  beforeEach(async () => {
    meeting = await meet();
  });
  afterEach(() => meeting.close());

  const submit = async (): Promise<string> => {
    const queue = createQueue({ broker: meeting.broker });
    return (
      await queue.submit(
        blockingTask(async () => {}),
        null,
      )
    ).id;
  };

  it('keeps the lease of a run whose handler blocks the event loop for four leases', async () => {
    const id = await submit();
    const blocking = startBlocking(meeting, { blockMs: 4 * LEASE_MS });
    const start = await blocking.until('start');
    const neighbour = startNeighbour(meeting);

    await blocking.until('completed');

    const blocked = await blocking.until('blocked');
    await neighbour.stop();
    expect(start['leaseRenewal']).toBe('thread');
    expect(neighbour.counts).toMatchObject({ executions: 0, stalls: 0 });
    expect(blocked).toMatchObject({ runs: [{ id, task: 'blocking', epoch: 1 }] });
    expect(blocked['blockedMs']).toBeGreaterThan(3 * LEASE_MS);
    const [run] = await meeting.broker.get([id]);
    expect(run).toMatchObject({ state: 'completed', epoch: 1, stalls: 0 });
  });

  it("loses it with leaseRenewal: 'loop'", async () => {
    const id = await submit();
    const untilFile = join(folder, randomUUID());
    const blocking = startBlocking(meeting, { blockMs: 1e9, untilFile, leaseRenewal: 'loop' });
    await blocking.until('start');
    const neighbour = startNeighbour(meeting);
    while (neighbour.counts.executions === 0) await rest(20);

    await writeFile(untilFile, '');

    await blocking.until('fenced');
    await neighbour.stop();
    const [run] = await meeting.broker.get([id]);
    expect(neighbour.counts).toMatchObject({ executions: 1, stalls: 1 });
    expect(run).toMatchObject({ state: 'completed', epoch: 2, stalls: 1 });
  });

  it('gives up the runs of an endless loop after maxBlock, and names them on stderr', async () => {
    const id = await submit();
    const blocking = startBlocking(meeting, { blockMs: 1e9, maxBlock: 1_500 });
    await blocking.until('start');
    const neighbour = startNeighbour(meeting);

    while (neighbour.counts.executions === 0) await rest(20);

    await neighbour.stop();
    expect(blocking.warned()).toContain(`other workers claim ${id} (epoch 1)`);
    expect(neighbour.counts).toMatchObject({ executions: 1, stalls: 1 });
  });

  it('cancels a run as soon as the event loop turns', async () => {
    const id = await submit();
    const blocking = startBlocking(meeting, { blockMs: 3 * LEASE_MS });
    await blocking.until('start');

    await createQueue({ broker: meeting.broker }).cancel(id);

    await blocking.until('cancelled');
    expect(blocking.lines().map(({ type }) => type)).not.toContain('completed');
  });

  it('starts no run whose claim was answered after another worker had taken it', async () => {
    const id = await submit();
    const { broker } = meeting;
    let answer = (): void => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const late: Broker = {
      ...broker,
      exchange: async (request) => {
        const reply = await broker.exchange(request);
        if (reply.claimed.length > 0) await isAnswered;
        return reply;
      },
    };
    const one = startNeighbour({ ...meeting, broker: late });
    while ((await broker.get([id]))[0]?.state !== 'started') await rest(20);
    const other = startNeighbour(meeting);
    while (other.counts.executions === 0) await rest(20);

    answer();

    while (one.counts.fenced === 0) await rest(20);
    await Promise.all([one.stop(), other.stop()]);
    expect([one.counts.executions, other.counts.executions]).toEqual([0, 1]);
    expect((await broker.get([id]))[0]).toMatchObject({ state: 'completed', epoch: 2 });
  });

  it('loses the lease of a process that is stopped: its thread is stopped, too', async () => {
    const id = await submit();
    const blocking = startBlocking(meeting, { blockMs: 1_000 });
    await blocking.until('start');
    blocking.child.kill('SIGSTOP');
    const neighbour = startNeighbour(meeting);
    while (neighbour.counts.executions === 0) await rest(20);

    blocking.child.kill('SIGCONT');

    const fenced = await blocking.until('fenced');
    await neighbour.stop();
    expect(fenced).toMatchObject({ id, epoch: 1 });
    expect((await meeting.broker.get([id]))[0]).toMatchObject({ state: 'completed', epoch: 2 });
  });
}

describeOnRedis('a blocked event loop, on Redis', (server) => {
  describeBlockedLoops(async () => {
    const { url } = server();
    const prefix = `blocked-${randomUUID()}`;
    const broker = createRedisBroker({ url, prefix });
    const close = async (): Promise<void> => {
      for (const child of children) child.kill('SIGKILL');
      await broker.close();
      await removeKeys(url, prefix);
    };
    return { broker, args: ['redis', url, prefix], close };
  });
});

describeOnPostgres('a blocked event loop, on Postgres', (server) => {
  describeBlockedLoops(async () => {
    const { url } = server();
    const pool = openPool(url, 1);
    const schema = await createTestSchema(pool);
    const broker = createPostgresBroker({ url, schema: schema.name });
    const close = async (): Promise<void> => {
      for (const child of children) child.kill('SIGKILL');
      await broker.close();
      await schema.drop();
      await pool.end();
    };
    return { broker, args: ['postgres', url, schema.name], close };
  });
});
