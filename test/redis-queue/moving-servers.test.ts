import type { Broker } from '@retry/core/broker';
import type { Task } from '@retry/worker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createClient, createCluster } from 'redis';
import { expect, it } from 'vitest';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { PATIENT, startPrivateCluster } from '../support/servers/redis-cluster.ts';
import { openProxy } from '../support/tcp-proxy.ts';

const COUNT = 1_000;

describeOnPrivateRedis('a Redis queue whose server changes under it', () => {
  it('keeps working when its hash slot moves to another node, and starts no run twice', async () => {
    const cluster = await startPrivateCluster();
    const client = createCluster({ rootNodes: cluster.urls.map((url) => ({ url })), defaults: PATIENT });
    await client.connect();
    const broker = await openRedisBroker({ client, prefix: 'moving', onError: () => {} });
    const { task, executed } = createWork();
    const worker = await startWork(broker, task, 'loop');

    await rest(50);
    await cluster.moveSlot('{moving:0}:body');
    expect(executed.length).toBeLessThan(COUNT);
    await cluster.moveSlot('{moving:0}:body');

    await untilAllEnded(broker);
    await worker.stop();
    expect(await broker.audit()).toMatchObject({ ended: { completed: COUNT }, unbalanced: 0 });
    expect(new Set(executed).size).toBe(COUNT);
    expect(executed).toHaveLength(COUNT);
    await broker.close();
    await client.close();
    await cluster.stop();
  });

  it('keeps working with a replica that is promoted, and the runs that it has', async () => {
    const primary = await startPrivateRedis();
    const replica = await startPrivateRedis(['--replicaof', `127.0.0.1 ${primary.port}`]);
    const proxy = await openProxy(primary.port);
    // Its connections break.
    const broker = await openRedisBroker({ url: `redis://127.0.0.1:${proxy.port}`, onError: () => {} });
    const { task, executed } = createWork();
    const worker = await startWork(broker, task);
    const watcher = await createClient({ url: primary.url }).connect();
    expect(await watcher.sendCommand(['WAIT', '1', '10000'])).toBe(1);
    watcher.destroy();
    await rest(50);

    await primary.stop();
    const other = await createClient({ url: replica.url }).connect();
    await other.sendCommand(['REPLICAOF', 'NO', 'ONE']);
    proxy.aimAt(replica.port);

    await untilAllEnded(broker);
    await worker.stop();
    expect(await broker.audit()).toMatchObject({
      ...{ created: COUNT, ended: { completed: COUNT }, unbalanced: 0 },
    });
    expect(new Set(executed.map((one) => one.split(' ')[0])).size).toBe(COUNT);
    await other.close();
    await broker.close();
    await proxy.close();
    await replica.stop();
  });
});

/** A task that takes a moment, and `id epoch` of each of its executions. */
function createWork(): { readonly task: Task<number, void>; readonly executed: readonly string[] } {
  const executed: string[] = [];
  const task = defineTask({
    name: 'work',
    run: async (_: number, { id, epoch }) => {
      executed.push(`${id} ${epoch}`);
      await rest(10);
    },
  });
  return { task, executed };
}

async function startWork(
  broker: Broker,
  task: Task<number, void>,
  leaseRenewal: 'thread' | 'loop' = 'thread',
) {
  const payloads = Array.from({ length: COUNT }, (_, index) => index);
  await createQueue({ broker }).submitMany(task, payloads);
  const options = { signals: [], concurrency: 10, lease: 2_000, leaseRenewal };
  const worker = createWorker({ broker, tasks: [task], ...options });
  worker.on('error', () => {}); // calls fail while the server changes
  worker.start();
  return worker;
}

async function untilAllEnded(broker: Broker): Promise<void> {
  for (;;) {
    const audit = await broker.audit().catch(() => undefined);
    if (audit?.ended.completed === COUNT) return;
    await rest(50);
  }
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
