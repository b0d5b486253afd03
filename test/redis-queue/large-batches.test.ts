import { expect, it } from 'vitest';
import { useScene } from '../support/broker-scene.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';

describeOnRedis('large batches on Redis', (server) => {
  const scene = useScene(() => openRedisHarness(server().url));

  it('submits to more lanes at once than Lua unpacks', async () => {
    const submissions = Array.from({ length: 9_000 }, (_, index) => ({
      id: `run-${index}`,
      lane: `lane-${index}`,
      payload: '1',
    }));

    const answers = await scene.broker.submit(submissions);

    expect(new Set(answers)).toEqual(new Set(['created']));
    expect(await scene.broker.audit()).toMatchObject({ waiting: 9_000, unbalanced: 0 });
  });
});
