import { createRedisBroker } from '@retry/redis-queue';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDurable } from '../../packages/redis-queue/src/driver/durable.ts';
import { linkClient } from '../../packages/redis-queue/src/driver/link-client.ts';
import type { RedisClient } from '../../packages/redis-queue/src/driver/redis-client.ts';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import type { PrivateRedis } from '../support/servers/redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

const SUBMISSION = { id: 'a', lane: 'l', payload: '1' };

describeOnPrivateRedis('a Redis broker that is closed', () => {
  let server: PrivateRedis;
  let admin: Awaited<ReturnType<typeof connect>>;
  beforeEach(async () => {
    server = await startPrivateRedis();
    admin = await connect(server.url);
  });
  afterEach(async () => {
    await admin.close();
    await server.stop();
  });

  /** How many connections the server has beside that of this test, once those that were opening are open. */
  const connections = async (): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return (
      String(await admin.sendCommand(['CLIENT', 'LIST']))
        .trim()
        .split('\n').length - 1
    );
  };

  it('while it opens its connection leaves none', async () => {
    const broker = createRedisBroker({ url: server.url });
    const opening = broker.ready().catch((error: unknown) => error);

    await broker.close();

    expect(await opening).toMatchObject({ code: 'BROKER_CLOSED' });
    expect(await connections()).toBe(0);
  });

  it('before its rights were there again begins no wait', async () => {
    await admin.sendCommand(['ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '&*', '+@all']);
    const client = await connect(server.url.replace('redis://', 'redis://app:secret@'));
    const broker = await openRedisBroker({ client });
    await admin.sendCommand(['ACL', 'SETUSER', 'app', '-eval', '-evalsha']);
    await expect(broker.submit([SUBMISSION])).rejects.toMatchObject({ code: 'MISSING_RIGHTS' });
    await admin.sendCommand(['ACL', 'SETUSER', 'app', '+eval', '+evalsha']);
    const waiting = broker.wait({ lanes: ['l'], timeoutMs: 60_000 });

    await broker.close();

    await waiting;
    expect(await connections()).toBe(1);
    await client.close();
  });

  it.each(Object.keys(CLIENTS))('ends a second connection of %s whenever that opens', async (name) => {
    const { client, close } = await (CLIENTS[name] as Connect)(server.url);
    const { openSecond } = linkClient(client);
    const [before, during, after] = [new AbortController(), new AbortController(), new AbortController()];

    before.abort();
    const late = openSecond(before.signal).catch((error: unknown) => error);
    const opening = openSecond(during.signal).catch(() => {});
    during.abort();
    await opening;
    await openSecond(after.signal);
    after.abort();

    expect(await late).toMatchObject({ code: 'BROKER_CLOSED' });
    expect(await connections()).toBe(1);
    close();
  });

  it.each(Object.keys(CLIENTS))('ends the connection of submits that %s is opening', async (name) => {
    const { client, close } = await (CLIENTS[name] as Connect)(server.url);
    await admin.configSet('maxclients', '2');
    const closing = new AbortController();
    const opening = openDurable(linkClient(client), closing.signal).catch(() => {});

    closing.abort();

    await opening;
    await admin.configSet('maxclients', '100');
    expect(await connections()).toBe(1);
    close();
  });
});

type Connect = (url: string) => Promise<{ readonly client: RedisClient; readonly close: () => void }>;

const CLIENTS: Readonly<Record<string, Connect>> = {
  redis: async (url) => {
    const client = await connect(url);
    return { client, close: () => client.destroy() };
  },
  ioredis: async (url) => {
    const client = new Redis(url);
    await client.ping();
    return { client, close: () => client.disconnect() };
  },
};

function connect(url: string) {
  return createClient({ url }).connect();
}
