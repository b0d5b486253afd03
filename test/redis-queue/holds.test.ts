import { holdLanes, listHolds } from '@retry/core/broker/kit';
import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { assertBalanced } from '../support/broker-checked.ts';
import { openRedisHarness, useRedis } from '../support/redis-harness.ts';
import { describeOnPrivateRedis, describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

describeOnRedis('holds on Redis', (server) => {
  const redis = useRedis(server);
  let requests = 0;
  const claim = async (...lanes: readonly string[]) => {
    const limits = new Map(lanes.map((lane) => [lane, 9]));
    const asked = { worker: 'w', requestId: `r${++requests}`, limit: 9, lanes: limits, leaseMs: 60_000 };
    return (await redis.broker.exchange({ claim: asked })).claimed.map(({ run }) => run.id);
  };
  const submit = (...lanes: readonly string[]) =>
    redis.broker.submit(lanes.map((lane) => ({ id: `of ${lane}`, lane, payload: '1' })));

  it('that have ended are removed by the next claim of their lane, and leave no key', async () => {
    await submit('l');
    await holdLanes(redis.broker, [
      { lane: 'l', source: 'operator', forMs: 1 },
      { lane: 'l', source: 'circuit-breaker', forMs: 1 },
      { source: 'handler', forMs: 1 },
    ]);
    expect(await redis.client.hLen(redis.key('holds'))).toBe(3);
    await redis.advance(10);

    expect(await claim('l')).toEqual(['of l']);

    expect(await redis.client.exists(redis.key('holds'))).toBe(0);
  });

  it('that have ended are removed by the next hold or note, of whatever lane', async () => {
    const soon = { source: 'operator', forMs: 1 } as const;
    await holdLanes(redis.broker, [{ ...soon, lane: 'a' }]);
    await redis.advance(10);

    await holdLanes(redis.broker, [{ ...soon, lane: 'b' }]);
    const left = await redis.client.hKeys(redis.key('holds'));
    await redis.advance(10);
    await redis.broker.notes.write([{ key: 'k', value: 'v' }]);

    expect(left).toEqual(['hold/operator/b']);
    expect(await redis.client.exists(redis.key('holds'))).toBe(0);
  });

  it('of other lanes and lanes that begin alike do not concern a lane', async () => {
    await submit('l', 'lo', 'ol', 'o');
    await holdLanes(redis.broker, [{ lane: 'l', source: 'operator' }]);

    expect(await claim('l', 'lo', 'ol', 'o')).toEqual(['of lo', 'of ol', 'of o']);
  });

  it.each(['', 'garbage', '1', '9'.repeat(44), `${'9'.repeat(44)}x`, '\0'.repeat(60)])(
    'that the broker did not write are no holds: %j',
    async (value) => {
      await submit('l');
      await redis.client.hSet(redis.key('holds'), { 'hold/operator/': value, 'hold/operator/l': value });

      expect(await listHolds(redis.broker)).toEqual([]);
      await redis.broker.wait({ lanes: ['l'], timeoutMs: 60_000 });
      expect(await claim('l')).toEqual(['of l']);
      await holdLanes(redis.broker, [{ lane: 'm', source: 'operator' }]);

      expect(await redis.client.hKeys(redis.key('holds'))).toEqual(['hold/operator/m']);
      assertBalanced(await redis.broker.audit());
    },
  );

  it('keep their reason, whatever its text', async () => {
    const notes = { reason: 'a "b" \u0001 ü 😀\n', by: '\\0' };

    await holdLanes(redis.broker, [{ lane: 'l', source: 'operator', ...notes }]);

    expect(await listHolds(redis.broker)).toMatchObject([{ lane: 'l', ...notes }]);
  });
});

describeOnPrivateRedis('a claim beside holds', () => {
  it('takes the same number of commands, however many lanes it asks for', async () => {
    const server = await startPrivateRedis();
    const client = await createClient({ url: server.url }).connect();
    const { broker, close } = await openRedisHarness(server.url);
    const lanes = new Map(Array.from({ length: 200 }, (_, index) => [`lane-${index}`, 9]));
    await holdLanes(broker, [{ lane: 'elsewhere', source: 'operator' }]);
    await client.configResetStat();

    await broker.exchange({ claim: { worker: 'w', requestId: 'r', limit: 9, lanes, leaseMs: 1 } });

    // The holds of all lanes, and the claims that the worker sent before.
    expect(await client.info('commandstats')).toContain('cmdstat_hmget:calls=2,');
    await close();
    await client.close();
    await server.stop();
  });
});
