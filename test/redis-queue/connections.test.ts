import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import type { PrivateRedis } from '../support/servers/redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { openProxy } from '../support/tcp-proxy.ts';

/** Kept apart, and written behind the script of its submit. */
const LONG = 'x'.repeat(5_000);

const SUBMISSION = { id: 'a', lane: 'l', payload: '1' };

describeOnPrivateRedis('connections to Redis', () => {
  let server: PrivateRedis;
  beforeEach(async () => {
    server = await startPrivateRedis();
  });
  afterEach(() => server.stop());

  it('are ended by close while the subscriber connection is still opening', async () => {
    const client = createClient({ url: server.url });
    await client.connect();
    const broker = await openRedisBroker({ client });
    await client.configSet('maxclients', '1');
    await broker.wait({ lanes: ['l'], timeoutMs: 50 });

    await broker.close();

    await client.configSet('maxclients', '100');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(
      String(await client.sendCommand(['CLIENT', 'LIST']))
        .trim()
        .split('\n'),
    ).toHaveLength(1);
    await client.close();
  });

  it('are closed while the server is frozen, and pending calls reject', async () => {
    const broker = await openRedisBroker({ url: server.url });
    process.kill(server.pid(), 'SIGSTOP');
    const submitting = broker.submit([SUBMISSION]).catch((error: unknown) => error);

    await broker.close();

    expect(await submitting).toBeInstanceOf(Error);
  });

  it.each([
    ['short', '1'],
    ['long', LONG],
  ])(
    'that are lost let calls with a %s payload reject which could not be sent, with a cure',
    async (_name, payload) => {
      let noteLost = (): void => {};
      const lost = new Promise<void>((resolve) => {
        noteLost = resolve;
      });
      const broker = await openRedisBroker({ url: server.url, onError: noteLost });
      await server.stop();
      await lost;

      const error = await broker.submit([{ ...SUBMISSION, payload }]).catch((thrown: unknown) => thrown);
      await broker.close();

      expect(error).toMatchObject({
        name: 'RedisBrokerError',
        code: 'REDIS_UNREACHABLE',
        message: expect.stringMatching(/this one was not sent\. Start the server/),
      });
      expect(broker.isRefusal(error)).toBe(false);
    },
  );

  it.each([
    ['short', '1'],
    ['long', LONG],
  ])(
    "of a user's client that was closed are the reason why a %s payload is not submitted",
    async (_name, payload) => {
      const client = await createClient({ url: server.url }).connect();
      const broker = await openRedisBroker({ client });
      client.destroy();

      const submitting = broker.submit([{ ...SUBMISSION, payload }]);

      await expect(submitting).rejects.toMatchObject({ code: 'CLIENT_NOT_CONNECTED' });
      await broker.close();
    },
  );

  it.each([
    ['a wrong password', 'redis://:wrong@'],
    ['no password', 'redis://'],
  ])('are refused at the start by a server that is given %s', async (_name, start) => {
    const admin = await createClient({ url: server.url }).connect();
    await admin.configSet('requirepass', 'secret');

    const opening = openRedisBroker({ url: server.url.replace('redis://', start) });

    await expect(opening).rejects.toThrow(/WRONGPASS|NOAUTH/);
    await admin.close();
  });

  it.each(['redis', 'ioredis'])(
    'that receive nothing any more are replaced by a client of %s that has a socket timeout',
    async (name) => {
      const proxy = await openProxy(server.port);
      const { client, close } = await connectWithTimeout(name, proxy.port);
      const broker = await openRedisBroker({ client });
      proxy.goDeaf();

      const first = broker.submit([SUBMISSION]).catch((error: unknown) => error);

      await first;
      expect((await broker.submit([SUBMISSION]))[0]).toMatch(/created|exists/);
      expect(await broker.audit()).toMatchObject({ created: 1 });
      await broker.close();
      close();
      await proxy.close();
    },
  );

  it.each([
    ['takes no command before it is connected', { enableOfflineQueue: false }],
    ['puts something before all keys', { keyPrefix: 'app:' }],
    ['puts a hash tag before all keys', { keyPrefix: '{app}:' }],
    ['connects when it is used', { lazyConnect: true }],
  ])('wake workers by a client of ioredis that %s', async (_name, options) => {
    const client = new Redis(server.url, options);
    await client.connect().catch(() => {});
    if (client.status !== 'ready') await new Promise((resolve) => client.once('ready', resolve));
    const broker = await openRedisBroker({ client });
    const waiting = broker.wait({ lanes: ['l'], timeoutMs: 3_600_000 });
    await new Promise((resolve) => setTimeout(resolve, 200));

    await broker.submit([SUBMISSION]);
    await waiting;

    await broker.close();
    client.disconnect();
  });
});

/** As docs/redis.md says, with shorter times. */
async function connectWithTimeout(name: string, port: number) {
  if (name === 'ioredis') {
    const client = new Redis(port, { socketTimeout: 300 });
    client.on('error', () => {});
    return { client, close: () => client.disconnect() };
  }
  const socket = { port, socketTimeout: 300, reconnectStrategy: () => 20 };
  const client = createClient({ socket, pingInterval: 100 });
  client.on('error', () => {});
  await client.connect();
  return { client, close: () => client.destroy() };
}
