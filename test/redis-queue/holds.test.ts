import { holdLanes, listHolds } from '@retry/core/broker/kit';
import { createClient } from 'redis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { assertBalanced } from '../support/broker-checked.ts';
import type { RedisHarness } from '../support/redis-harness.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPrivateRedis, describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

describeOnRedis('holds on Redis', (server) => {
  let harness: RedisHarness;
  let client: Awaited<ReturnType<typeof connect>>;
  const connect = () => createClient({ url: server().url }).connect();
  beforeEach(async () => {
    harness = await openRedisHarness(server().url);
    client = await connect();
  });
  afterEach(async () => {
    await harness.close();
    await client.close();
  });

  const key = (name: string) => `{${harness.prefix}:0}:${name}`;
  let requests = 0;
  const claim = async (...lanes: readonly string[]) => {
    const limits = new Map(lanes.map((lane) => [lane, 9]));
    const asked = { worker: 'w', requestId: `r${++requests}`, limit: 9, lanes: limits, leaseMs: 60_000 };
    return (await harness.broker.exchange({ claim: asked })).claimed.map(({ run }) => run.id);
  };
  const submit = (...lanes: readonly string[]) =>
    harness.broker.submit(lanes.map((lane) => ({ id: `of ${lane}`, lane, payload: '1' })));

  it('that have ended are removed by the next claim of their lane, and leave no key', async () => {
    await submit('l');
    await holdLanes(harness.broker, [
      { lane: 'l', source: 'operator', forMs: 1 },
      { lane: 'l', source: 'circuit-breaker', forMs: 1 },
      { source: 'handler', forMs: 1 },
    ]);
    expect(await client.hLen(key('holds'))).toBe(3);
    await harness.advance(10);

    expect(await claim('l')).toEqual(['of l']);

    expect(await client.exists(key('holds'))).toBe(0);
  });

  it('that have ended are removed by the next hold or note, of whatever lane', async () => {
    const soon = { source: 'operator', forMs: 1 } as const;
    await holdLanes(harness.broker, [{ ...soon, lane: 'a' }]);
    await harness.advance(10);

    await holdLanes(harness.broker, [{ ...soon, lane: 'b' }]);
    const left = await client.hKeys(key('holds'));
    await harness.advance(10);
    await harness.broker.notes.write([{ key: 'k', value: 'v' }]);

    expect(left).toEqual(['hold/operator/b']);
    expect(await client.exists(key('holds'))).toBe(0);
  });

  it('of other lanes and lanes that begin alike do not concern a lane', async () => {
    await submit('l', 'lo', 'ol', 'o');
    await holdLanes(harness.broker, [{ lane: 'l', source: 'operator' }]);

    expect(await claim('l', 'lo', 'ol', 'o')).toEqual(['of lo', 'of ol', 'of o']);
  });

  it.each(['', 'garbage', '1', '9'.repeat(44), `${'9'.repeat(44)}x`, '\0'.repeat(60)])(
    'that the broker did not write are no holds: %j',
    async (value) => {
      await submit('l');
      await client.hSet(key('holds'), { 'hold/operator/': value, 'hold/operator/l': value });

      expect(await listHolds(harness.broker)).toEqual([]);
      await harness.broker.wait({ lanes: ['l'], timeoutMs: 60_000 });
      expect(await claim('l')).toEqual(['of l']);
      await holdLanes(harness.broker, [{ lane: 'm', source: 'operator' }]);

      expect(await client.hKeys(key('holds'))).toEqual(['hold/operator/m']);
      assertBalanced(await harness.broker.audit());
    },
  );

  it('keep their reason, whatever its text', async () => {
    const notes = { reason: 'a "b" \u0001 ü 😀\n', by: '\\0' };

    await holdLanes(harness.broker, [{ lane: 'l', source: 'operator', ...notes }]);

    expect(await listHolds(harness.broker)).toMatchObject([{ lane: 'l', ...notes }]);
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
