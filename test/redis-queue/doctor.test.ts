import type { Broker } from '@retry/core/broker';
import { cancelRuns } from '@retry/core/broker/kit';
import type { RedisClient } from '@retry/redis-queue';
import { createRedisBroker, RedisBrokerError } from '@retry/redis-queue';
import { Redis } from 'ioredis';
import { createClient, RESP_TYPES } from 'redis';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import type { PrivateRedis } from '../support/servers/redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { connectToCluster, startPrivateCluster } from '../support/servers/redis-cluster.ts';

describeOnPrivateRedis('the doctor', () => {
  let server: PrivateRedis;
  beforeEach(async () => {
    server = await startPrivateRedis();
  });
  afterEach(() => server.stop());

  const set = async (name: string, value: string, url = server.url): Promise<void> => {
    const client = await createClient({ url }).connect();
    await client.configSet(name, value);
    await client.close();
  };

  it.each([
    ['nothing', 'none', []],
    ['snapshots', 'snapshots', ['save', '60 1']],
    ['an append-only file', 'aof', ['appendonly', 'yes']],
  ] as const)('reports a server that keeps %s', async (_name, persistence, [name, value]) => {
    if (name !== undefined) await set(name, value);

    const broker = await openRedisBroker({ url: server.url });

    const report = await broker.server();

    expect(report).toMatchObject({ persistence, maxmemoryPolicy: 'noeviction' });
    expect(report.version).toMatch(/^\d+\.\d+/);
    await broker.close();
  });

  it.each(['allkeys-lru', 'allkeys-lfu', 'allkeys-random'])('refuses a server with %s', async (policy) => {
    await set('maxmemory-policy', policy);

    const refusal = await openRedisBroker({ url: server.url }).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(RedisBrokerError);
    expect(refusal).toMatchObject({ code: 'REDIS_MAY_EVICT' });
    expect(String(refusal)).toContain(`got ${policy}`);
  });

  it('refuses a client of ioredis that returns numbers as text', async () => {
    const client = new Redis(server.url, { stringNumbers: true });

    await expectRefused(createRedisBroker({ client }));

    client.disconnect();
  });

  it.each([
    ['text as buffers', { [RESP_TYPES.BLOB_STRING]: Buffer }],
    ['numbers as text', { [RESP_TYPES.NUMBER]: String }],
  ])('refuses a client of redis that returns %s', async (_, mapping) => {
    const client = await createClient({ url: server.url }).connect();

    await expectRefused(createRedisBroker({ client: client.withTypeMapping(mapping) as RedisClient }));

    client.destroy();
  });

  const expectRefused = async (broker: Broker): Promise<void> => {
    const refusal = { code: 'CLIENT_CONVERTS_REPLIES' };
    await expect(broker.ready?.()).rejects.toMatchObject(refusal);
    await expect(broker.submit([{ id: 'a', lane: 'l', payload: '1' }])).rejects.toMatchObject(refusal);
    await broker.close();
  };

  it('sends no call to a server that it refuses, until its settings are corrected', async () => {
    await set('maxmemory-policy', 'allkeys-lru');
    const broker = createRedisBroker({ url: server.url });
    const submit = () => broker.submit([{ id: 'a', lane: 'l', payload: '1' }]);
    const codes = await Promise.all(
      [broker.ready(), submit(), broker.audit()].map((call) => call.catch(codeOf)),
    );
    const client = await createClient({ url: server.url }).connect();
    const keys = await client.keys('*');
    await set('maxmemory-policy', 'noeviction');

    const answers = await submit();

    expect(codes).toEqual(['REDIS_MAY_EVICT', 'REDIS_MAY_EVICT', 'REDIS_MAY_EVICT']);
    expect(keys).toEqual([]);
    expect(answers).toEqual(['created']);
    await client.close();
    await broker.close();
  });

  it.each(['redis', 'ioredis'])('examines the node of a cluster that has the queue, by %s', async (name) => {
    const cluster = await startPrivateCluster();
    onTestFinished(cluster.stop);
    const { client, close } = await connectToCluster(name, cluster);
    const open = (prefix: string) => openRedisBroker({ client, prefix }).then(() => 'opened', codeOf);
    const prefixes = Array.from({ length: 12 }, (_, index) => `queue-${index}`);
    await set('maxmemory-policy', 'allkeys-lru', cluster.urls[1]);

    const answers = await Promise.all(prefixes.map(open));

    const owners = await Promise.all(prefixes.map((prefix) => cluster.ownerOf(`{${prefix}:0}:lanes`)));
    const [safe, unsafe] = ['opened', 'REDIS_MAY_EVICT'];
    expect(answers).toEqual(owners.map((url) => (url === cluster.urls[1] ? unsafe : safe)));
    expect(new Set(answers)).toEqual(new Set([safe, unsafe]));
    await close();
  });

  it('refuses one node of a cluster, whether it has the queue or not, and names the client that is needed', async () => {
    const cluster = await startPrivateCluster();
    onTestFinished(cluster.stop);
    const client = new Redis(cluster.urls[0] ?? '');
    onTestFinished(() => client.disconnect());
    const sources = [...cluster.urls.map((url) => ({ url })), { client }];

    const errors = await Promise.all(
      sources.map((source) => openRedisBroker(source).catch((error: unknown) => error)),
    );

    for (const error of errors)
      expect(error).toMatchObject({
        code: 'NEEDS_CLUSTER_CLIENT',
        message: expect.stringMatching(/createCluster.*new Cluster/),
      });
  });

  it('accepts the only node of a cluster', async () => {
    const node = await startPrivateRedis(['--cluster-enabled', 'yes']);
    onTestFinished(() => node.stop());
    const client = await createClient({ url: node.url }).connect();
    onTestFinished(() => client.destroy());
    await client.sendCommand([
      'CLUSTER',
      'ADDSLOTS',
      ...Array.from({ length: 16_384 }, (_, slot) => `${slot}`),
    ]);
    await vi.waitFor(
      async () => expect(await client.sendCommand(['CLUSTER', 'INFO'])).toContain('state:ok'),
      20_000,
    );

    const broker = await openRedisBroker({ url: node.url });

    expect(await broker.submit([{ id: 'a', lane: 'l', payload: '1' }])).toEqual(['created']);
    await broker.close();
  });

  it('accepts such a server with allowEviction', async () => {
    await set('maxmemory-policy', 'allkeys-lru');

    const broker = await openRedisBroker({ url: server.url, allowEviction: true });

    expect((await broker.server()).maxmemoryPolicy).toBe('allkeys-lru');
    await broker.close();
  });

  it('accepts volatile policies, as no key of the broker has a time to live', async () => {
    await set('maxmemory-policy', 'volatile-lru');
    const broker = await openRedisBroker({ url: server.url });
    const claim = { worker: 'w', requestId: 'r', limit: 9, lanes: new Map([['l', 9]]), leaseMs: 1_000 };
    await broker.submit([
      { id: 'a', lane: 'l', payload: '1' },
      { id: 'b', lane: 'l', payload: '1', delayMs: 60_000 },
      { id: 'c', lane: 'l', payload: '1' },
    ]);
    await broker.exchange({ claim });
    await cancelRuns(broker, ['b', 'c']);

    const client = await createClient({ url: server.url }).connect();
    const keys = await client.keys('*');
    const ages = await Promise.all(keys.map((key) => client.ttl(key)));

    expect(keys.length).toBeGreaterThan(5);
    expect(new Set(ages)).toEqual(new Set([-1]));
    await client.close();
    await broker.close();
  });

  it.each([
    [{}, 'needs a url or a client'],
    [{ url: 'redis://x', prefix: 'a{b' }, 'prefix must be'],
    [{ url: 'redis://x', keepCompleted: { count: -1 } }, 'keepCompleted.count must be'],
  ])('refuses the options %j', (options, message) => {
    expect(() => createRedisBroker(options)).toThrow(message);
  });
});

function codeOf(error: { readonly code: string }): string {
  return error.code;
}
