import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { open } from '../../packages/redis-queue/src/driver/heartbeats/open-heartbeats.ts';
import { openLink } from '../../packages/redis-queue/src/driver/open-link.ts';
import { heartbeatScript } from '../../packages/redis-queue/src/scripts/lua-code.ts';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import type { PrivateRedis } from '../support/servers/redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

const SUBMISSION = { id: 'a', lane: 'l', payload: '1' };
const PATIENCE = { timeout: 20_000, interval: 50 };
const SETTINGS = ['--repl-diskless-sync-delay', '0'];

describeOnPrivateRedis('a Redis replica', () => {
  let primary: PrivateRedis;
  let replica: PrivateRedis;
  let name: Name;
  beforeEach(async () => {
    primary = await startPrivateRedis(SETTINGS);
    replica = await startPrivateRedis([...SETTINGS, '--replicaof', `127.0.0.1 ${primary.port}`]);
    name = await openName(primary.port);
    await vi.waitFor(
      async () => expect(await ask(replica, 'INFO')).toContain('master_link_status:up'),
      PATIENCE,
    );
  });
  afterEach(async () => {
    await name.close();
    await Promise.all([primary.stop(), replica.stop()]);
  });

  /** The two change their parts, as at a failover of a managed service: connections to the old primary stay open. */
  const failOver = async (): Promise<void> => {
    await ask(replica, 'REPLICAOF', 'NO', 'ONE');
    await ask(primary, 'REPLICAOF', '127.0.0.1', `${replica.port}`);
    name.aimAt(replica.port);
  };

  it('is refused at the start, by its url', async () => {
    await expect(openRedisBroker({ url: replica.url })).rejects.toMatchObject({
      code: 'REDIS_READ_ONLY',
      message: expect.stringContaining('Connect to the primary'),
    });
  });

  it('is refused at the start, by a client of ioredis', async () => {
    const client = new Redis(replica.url);

    await expect(openRedisBroker({ client })).rejects.toMatchObject({ code: 'REDIS_READ_ONLY' });

    client.disconnect();
  });

  it('that was the primary is named by calls over a client of the user, which stays', async () => {
    const client = await createClient({ url: name.url }).connect();
    const broker = await openRedisBroker({ client });
    await failOver();

    const error = await broker.submit([SUBMISSION]).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: 'REDIS_READ_ONLY' });
    expect(broker.isRefusal(error)).toBe(false);
    await client.ping();
    expect(name.connectionsTo(primary.port)).toBe(1);
    await broker.close();
    client.destroy();
  });

  it('that was the primary is left by a broker with a url', async () => {
    const broker = await openRedisBroker({ url: name.url, onError: () => {} });
    const waiting = broker.wait({ lanes: ['other'], timeoutMs: 60_000 });
    await vi.waitFor(() => expect(name.connectionsTo(primary.port)).toBe(2), PATIENCE);
    await failOver();

    const error = await broker.submit([SUBMISSION]).catch((thrown: unknown) => thrown);

    expect(error).toMatchObject({ code: 'REDIS_READ_ONLY' });
    await vi.waitFor(async () => expect(await broker.submit([SUBMISSION])).toEqual(['created']), PATIENCE);
    await waiting;
    await vi.waitFor(() => expect(name.connectionsTo(replica.port)).toBe(2), PATIENCE);
    expect(name.connectionsTo(primary.port)).toBe(0);
    await broker.close();
  });

  it('that was the primary is left by every connection of a link', async () => {
    const { link, connected } = await openLink(name.url, () => {});
    await connected;
    const second = await link.openSecond();
    const subscriber = link.listen(
      () => {},
      () => {},
    );
    await subscriber.subscribe('channel');
    expect(name.connectionsTo(primary.port)).toBe(3);
    await failOver();

    link.leave?.();

    await vi.waitFor(() => expect(name.connectionsTo(replica.port)).toBe(3), PATIENCE);
    expect(await link.send('a', ['INCR', 'a'])).toBe(1);
    subscriber.destroy();
    await Promise.all([second.close(), link.close()]);
  });

  it('that was the primary is left by the connection for heartbeats', async () => {
    const options = { url: name.url, prefix: 'retry', partitions: 1, script: heartbeatScript };
    const heartbeats = open(options, { createClient });
    await heartbeats.ready();
    await failOver();

    const beat = async () => heartbeats.heartbeat([{ id: 'a', epoch: 1 }], 1_000);

    await expect(beat()).rejects.toThrow('READONLY');
    await vi.waitFor(async () => expect(await beat()).toEqual(['gone']), PATIENCE);
    await heartbeats.close();
  });
});

/** A name that leads to a port, and later to another one; connections stay where they are. */
interface Name {
  readonly url: string;
  readonly aimAt: (port: number) => void;
  readonly connectionsTo: (port: number) => number;
  readonly close: () => Promise<void>;
}

async function openName(first: number): Promise<Name> {
  let target = first;
  const links = new Map<Socket, number>();
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    links.set(near, target);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        links.delete(near);
        near.destroy();
        far.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `redis://127.0.0.1:${port}`,
    aimAt: (next) => {
      target = next;
    },
    connectionsTo: (wanted) => [...links.values()].filter((one) => one === wanted).length,
    close: async () => {
      for (const near of links.keys()) near.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function ask(server: PrivateRedis, ...command: readonly string[]): Promise<string> {
  const client = await createClient({ url: server.url }).connect();
  try {
    return String(await client.sendCommand(command));
  } finally {
    client.destroy();
  }
}
