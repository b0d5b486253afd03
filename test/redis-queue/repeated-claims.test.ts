import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { useScene } from '../support/broker-scene.ts';
import type { RedisHarness } from '../support/redis-harness.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { settlementOf } from '../support/settle.ts';

describeOnRedis('a repeated claim on Redis', (server) => {
  let harness: RedisHarness;
  let client: Awaited<ReturnType<typeof connect>>;
  const connect = () => createClient({ url: server().url }).connect();
  const scene = useScene(async () => {
    harness = await openRedisHarness(server().url);
    return harness;
  });
  beforeEach(async () => {
    client = await connect();
  });
  afterEach(() => client.close());
  const replies = () => `{${harness.prefix}:0}:replies`;
  const idsOf = (requestId: string) =>
    scene.claim({ requestId }).then((claimed) => claimed.map(({ run }) => run.id));

  it('leaves out a run that another claim has started since', async () => {
    await scene.submit('a', 'b');
    const [a] = await scene.claim({ requestId: 'lost' });
    const at = await scene.now();
    if (a) await scene.settle(settlementOf(a.run, { type: 'release', at }));
    await scene.claim({ requestId: 'other' });

    expect(await idsOf('lost')).toEqual(['b']);
    expect(await idsOf('other')).toEqual(['a']);
  });

  it('returns a run that started again with its errors', async () => {
    const first = await scene.start('a');
    const at = await scene.now();
    const errors = [{ epoch: 1, at, name: 'Error', message: 'once', stack: 'Error: once\n    at here' }];
    await scene.settle(settlementOf(first, { type: 'retry', at, runAt: at }, { errors }));
    const claimed = await scene.claim({ requestId: 'lost' });

    expect(await scene.claim({ requestId: 'lost' })).toEqual(claimed);
    expect(claimed[0]?.run.errors).toEqual(errors);
  });

  it('is known for the latest four claims at least, and old ones are forgotten', async () => {
    const requests = Array.from({ length: 40 }, () => randomUUID());
    for (const [index, request] of requests.entries()) {
      await scene.submit(`run-${index}`);
      await scene.claim({ requestId: request });
    }

    expect(await Promise.all(requests.slice(-4).map(idsOf))).toEqual([
      ['run-36'],
      ['run-37'],
      ['run-38'],
      ['run-39'],
    ]);
    expect(await client.hLen(replies())).toBeLessThan(12);
  });

  it('is known beside what an earlier version or another program has left', async () => {
    await client.hSet(replies(), { w: 'r1\0r2', 'w\0r1': 'garbage', 'w\0r2': '' });
    await scene.submit('a');

    expect(await idsOf('r1')).toEqual(['a']);
    expect(await idsOf('r1')).toEqual(['a']);
    expect(await client.hGet(replies(), 'w')).toMatch(/^\d{13}\0r1\0r2\0r1$/);
  });
});
