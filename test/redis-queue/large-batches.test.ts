import { createQueue, defineTask } from '@retry/worker';
import { expect, it } from 'vitest';
import { useScene } from '../support/broker-scene.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';

describeOnRedis('large batches on Redis', (server) => {
  const scene = useScene(() => openRedisHarness(server().url));

  it('submits to more lanes in one call than Lua can unpack', async () => {
    const submissions = Array.from({ length: 9_000 }, (_, index) => ({
      id: `run-${index}`,
      lane: `lane-${index}`,
      payload: '1',
    }));

    const answers = await scene.broker.submit(submissions);

    expect(new Set(answers)).toEqual(new Set(['created']));
    expect(await scene.broker.audit()).toMatchObject({ submitted: 9_000, unbalanced: 0 });
  });

  it('keeps the order of single submits that are sent in several batches', async () => {
    const { broker, close } = await openRedisHarness(server().url);
    const task = defineTask({ name: 'task', run: (_: number) => {} });
    const queue = createQueue({ broker });
    const payloads = Array.from({ length: 3_000 }, (_, index) => index);

    await Promise.all(payloads.map((payload) => queue.submit(task, payload)));

    const lanes = new Map([[task.lane, 3_000]]);
    const claim = { worker: 'w', requestId: 'r', limit: 3_000, lanes, leaseMs: 1_000 };
    const { claimed } = await broker.exchange({ claim });
    expect(broker.facts?.submitsInOrder).toBe(true);
    expect(claimed.map(({ run }) => Number(run.payload))).toEqual(payloads);
    await close();
  });
});
