import { createRedisBroker } from '@retry/redis-queue';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import type { PrivateRedis } from '../support/servers/redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

const LEASE_MS = 60_000;

/** A client of either package, whose one connection a handler can keep busy. */
interface Busy {
  readonly client: Parameters<typeof createRedisBroker>[0]['client'];
  readonly block: () => Promise<unknown>;
  readonly close: () => void;
}

const CLIENTS: Readonly<Record<string, (url: string) => Promise<Busy>>> = {
  redis: async (url) => {
    const client = await createClient({ url })
      .on('error', () => {})
      .connect();
    return { client, block: () => client.blPop('nothing', 0), close: () => client.destroy() };
  },
  ioredis: async (url) => {
    const client = new Redis(url);
    return { client, block: () => client.blpop('nothing', 0), close: () => client.disconnect() };
  },
  'ioredis with an open transaction': async (url) => {
    const client = new Redis(url);
    const block = async (): Promise<unknown> => client.multi({ pipeline: false });
    return { client, block, close: () => client.disconnect() };
  },
};

describeOnPrivateRedis("heartbeats over a user's client", () => {
  let server: PrivateRedis;
  beforeEach(async () => {
    server = await startPrivateRedis();
  });
  afterEach(() => server.stop());

  const claimOne = async (client: Busy['client'], onError?: (error: unknown) => void) => {
    const broker = createRedisBroker({ client, onError });
    await broker.submit([{ id: 'a', lane: 'l', payload: '{}' }]);
    const lanes = new Map([['l', 1]]);
    await broker.exchange({
      claim: { worker: 'w', requestId: 'r', limit: 1, lanes, leaseMs: LEASE_MS },
    });
    return { broker, heartbeat: () => broker.heartbeat([{ id: 'a', epoch: 1 }], LEASE_MS) };
  };
  const countConnections = async (): Promise<number> => {
    const admin = await createClient({ url: server.url }).connect();
    const list = String(await admin.sendCommand(['CLIENT', 'LIST']));
    admin.destroy();
    return list.trim().split('\n').length - 1;
  };

  it.each(Object.keys(CLIENTS))('are answered while a handler keeps a client of %s busy', async (name) => {
    const { client, block, close } = await (CLIENTS[name] as (url: string) => Promise<Busy>)(server.url);
    const { broker, heartbeat } = await claimOne(client);
    const blocking = block().catch(() => {});

    expect(await heartbeat()).toEqual(['ok']);
    expect(await heartbeat()).toEqual(['ok']);

    close();
    await blocking;
    await broker.close();
    await expect.poll(countConnections).toBe(0);
  });

  it.each(['redis', 'ioredis'])('of %s are not late where a handler blocks the event loop', async (name) => {
    const { client, close } = await (CLIENTS[name] as (url: string) => Promise<Busy>)(server.url);
    const errors: unknown[] = [];
    const { broker, heartbeat } = await claimOne(client, (error) => errors.push(error));
    await heartbeat();

    const beating = heartbeat();
    await new Promise((resolve) => process.nextTick(resolve));
    for (const end = performance.now() + 2_000; performance.now() < end; );

    expect(await beating).toEqual(['ok']);
    expect(errors).toEqual([]);
    await broker.close();
    close();
  });

  it('go over the client where no other connection comes about, and report it', async () => {
    const client = await createClient({ url: server.url }).connect();
    await client.configSet('maxclients', '1');
    const errors: unknown[] = [];
    const { broker, heartbeat } = await claimOne(client, (error) => errors.push(error));

    expect(await heartbeat()).toEqual(['ok']);
    expect(errors).toMatchObject([{ message: expect.stringContaining('for heartbeats was not ready') }]);

    await broker.close();
    await client.configSet('maxclients', '100');
    expect(await countConnections()).toBe(1);
    client.destroy();
  });
});
