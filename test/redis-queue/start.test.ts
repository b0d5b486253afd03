import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { InvalidOptionsError } from '@retry/core';
import { secretsOf } from '@retry/core/broker/kit';
import { createRedisBroker, RedisBrokerError } from '@retry/redis-queue';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { createClient, createCluster, createSentinel } from 'redis';
import { describe, expect, it } from 'vitest';
import { withoutSecrets } from '../../packages/redis-queue/src/driver/server-link.ts';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

/** All the ways in which an error is printed. */
function printed(error: unknown): string {
  const { stack = '', message = '' } = error instanceof Error ? error : {};
  const deep = inspect(error, { depth: 12, showHidden: true });
  return [deep, String(error), stack, message, JSON.stringify(error)].join('\n');
}

const failing = (opening: Promise<unknown>) =>
  opening.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  );

describe('createRedisBroker to a server that is not there', () => {
  it.concurrent('rejects in time with the last cause, by a url', async () => {
    const error = await failing(openRedisBroker({ url: 'redis://u:hunter2@127.0.0.1:1' }));

    expect(error).toBeInstanceOf(RedisBrokerError);
    expect(error).toMatchObject({ code: 'REDIS_UNREACHABLE', cause: { code: 'ECONNREFUSED' } });
    expect(printed(error)).toContain('ECONNREFUSED');
    expect(printed(error)).not.toContain('hunter2');
  });

  it.concurrent('rejects in time when the other end of the connection never answers', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;

    const error = await failing(openRedisBroker({ url: `redis://127.0.0.1:${port}` }));

    expect(error).toMatchObject({ code: 'REDIS_UNREACHABLE' });
    silent.close();
  });

  it('does not count the time for which the event loop is blocked', async () => {
    const server = await startPrivateRedis();
    const client = await createClient({ url: server.url }).connect();
    const broker = createRedisBroker({ client });

    const ready = broker.ready();
    // The time has begun, and only the first of several commands can have been answered.
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
    const outcome = await ready.catch((error: unknown) => error);
    await broker.close();
    await client.close();
    await server.stop();

    expect(outcome).toBeUndefined();
  });

  it.concurrent('rejects in time by a client of ioredis, and removes its own error listener', async () => {
    const client = new Redis({ host: '127.0.0.1', port: 1, password: 'hunter2', lazyConnect: true });
    client.on('error', () => {});

    const error = await failing(openRedisBroker({ client }));

    expect(error).toMatchObject({ code: 'REDIS_UNREACHABLE', cause: { code: 'ECONNREFUSED' } });
    expect(printed(error)).not.toContain('hunter2');
    expect(client.listenerCount('error')).toBe(1);
    client.disconnect();
  });

  it.concurrent('has one listener for any number of brokers that begin on a client, each of which gets its error', async () => {
    const client = new Redis({ host: '127.0.0.1', port: 1, lazyConnect: true });
    client.on('error', () => {});

    const added: unknown[] = [];
    client.on('newListener', (event) => added.push(event));

    const errors = await Promise.all(Array.from({ length: 11 }, () => failing(openRedisBroker({ client }))));

    expect(added.filter((event) => event === 'error')).toHaveLength(1);
    for (const error of errors)
      expect(error).toMatchObject({ code: 'REDIS_UNREACHABLE', cause: { code: 'ECONNREFUSED' } });
    expect(client.listenerCount('error')).toBe(1);
    client.disconnect();
  });

  const password = { password: 'hunter2' };
  it.each([
    ['client', () => createClient({ url: 'redis://127.0.0.1:1', ...password })],
    ['cluster', () => createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }], defaults: password })],
  ])('rejects by a %s of redis that is not connected, with the cure', async (_name, create) => {
    const client = create();
    client.on('error', () => {});

    const error = await failing(openRedisBroker({ client }));

    expect(error).toMatchObject({
      code: 'CLIENT_NOT_CONNECTED',
      message: expect.stringContaining('await client.connect()'),
    });
    expect(printed(error)).not.toContain('hunter2');
  });
});

describeOnPrivateRedis('createRedisBroker', () => {
  it('opens no connection before the first call', async () => {
    const server = await startPrivateRedis();
    const admin = await createClient({ url: server.url }).connect();

    const broker = createRedisBroker({ url: server.url });
    await new Promise((resolve) => setTimeout(resolve, 200));

    const clients = String(await admin.sendCommand(['CLIENT', 'LIST']));
    expect(clients.trim().split('\n')).toHaveLength(1);
    await broker.close();
    await expect(broker.ready()).rejects.toMatchObject({ code: 'BROKER_CLOSED' });
    await admin.close();
    await server.stop();
  });

  it('keeps the order of calls that wait for its server', async () => {
    const server = await startPrivateRedis();
    const broker = createRedisBroker({ url: server.url });
    const ids = Array.from({ length: 20 }, (_, index) => `run-${index}`);

    await Promise.all(ids.map((id) => broker.submit([{ id, lane: 'l', payload: '1' }])));

    const lanes = new Map([['l', 20]]);
    const claim = { worker: 'w', requestId: 'r', limit: 20, lanes, leaseMs: 60_000 };
    const { claimed } = await broker.exchange({ claim });
    expect(claimed.map(({ run }) => run.id)).toEqual(ids);
    await broker.close();
    await server.stop();
  });

  it('closes without delay while it waits for its server', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const broker = createRedisBroker({ url: `redis://127.0.0.1:${port}` });
    const submitting = failing(broker.submit([{ id: 'a', lane: 'l', payload: '1' }]));

    await broker.close();

    expect(await submitting).toMatchObject({ code: 'BROKER_CLOSED' });
    silent.close();
  });
});

describe('the options of createRedisBroker', () => {
  it.each<[object, string]>([
    [{}, 'Use createRedisBroker({ url }), or createRedisBroker({ client }).'],
    [{ connection: {} }, 'Use client.'],
    [{ redis: {} }, 'Use client.'],
    [{ createClient: {} }, 'Use client.'],
    [{ host: 'h' }, "Use url: 'redis://host:6379'."],
    [{ port: 6379 }, "Use url: 'redis://host:6379'."],
    [{ password: 'a' }, "Use url: 'rediss://user:password@host:6379/0'."],
    [{ keyPrefix: 'a' }, 'Use prefix.'],
    [{ url: 'redis://x', removeOnComplete: true }, "Use keepCompleted: { count: 1_000, for: '7d' }."],
    [{ url: 'redis://x', removeOnFail: true }, "Use keepDead: { for: '30d' }."],
    [{ sentinels: [] }, 'Use new Redis({ sentinels, name }) of ioredis'],
    [{ path: '/run/redis.sock' }, "createClient({ socket: { path: '/run/redis.sock' } })"],
    [{ socket: {} }, "createClient({ socket: { path: '/run/redis.sock' } })"],
    [{ url: 'unix:///run/redis.sock' }, "createClient({ socket: { path: '/run/redis.sock' } })"],
    [{ url: 'redis+unix:///run/redis.sock' }, "createClient({ socket: { path: '/run/redis.sock' } })"],
    [{ url: '/run/redis.sock' }, "createClient({ socket: { path: '/run/redis.sock' } })"],
  ])('have a cure where they are wrong: %j', async (options, cure) => {
    const error = await failing(openRedisBroker(options as never));

    expect(error).toMatchObject({ problems: [{ cure: expect.stringContaining(cure) }] });
  });

  it.each<[unknown, string, string]>([
    [{}, '', 'needs a url or a client'],
    [{ url: 'redis://x', client: {} }, '', 'not both'],
    [{ url: 5 }, 'url', 'must be a Redis URL'],
    [{ url: '' }, 'url', 'must be a Redis URL'],
    [{ url: null }, 'url', 'must be a Redis URL'],
    [{ url: 'http://x' }, 'url', 'must be a Redis URL'],
    [{ url: 'redis://:a%zz@x' }, 'url', 'must be a Redis URL'],
    [{ url: 'redis://x/abc' }, 'url', 'must be a Redis URL'],
    [{ url: 'redis://x?db=2' }, 'url', 'must have no ? and no #: what follows would be ignored'],
    [{ url: 'redis://user:12#34@x' }, 'url', 'must have no ? and no #: what follows would be ignored'],
    [{ client: null }, 'client', 'must be a client'],
    [{ client: {} }, 'client', 'must be a client'],
    [{ url: 'redis://x', prefix: '' }, 'prefix', 'must not be empty'],
    [{ url: 'redis://x', prefix: null }, 'prefix', 'must be text'],
    [{ url: 'redis://x', prefix: 'a{b' }, 'prefix', 'without braces'],
    [{ url: 'redis://x', prefix: 'a\0b' }, 'prefix', 'U+0000'],
    [{ url: 'redis://x', partitions: 0 }, 'partitions', 'from 1 to 256'],
    [{ url: 'redis://x', partitions: 1.5 }, 'partitions', 'from 1 to 256'],
    [{ url: 'redis://x', partitions: '4' }, 'partitions', 'from 1 to 256'],
    [{ url: 'redis://x', keepCompleted: { count: -1 } }, 'keepCompleted.count', 'must be an integer ≥ 0'],
    [{ url: 'redis://x', keepCompleted: { for: 'long' } }, 'keepCompleted.for', 'must be a duration'],
    [{ url: 'redis://x', keepCompleted: { bytes: Number.NaN } }, 'keepCompleted.bytes', 'must be ≥ 0'],
    [{ url: 'redis://x', keepCompleted: null }, 'keepCompleted', 'must be an object'],
    [{ url: 'redis://x', keepCompleted: 5 }, 'keepCompleted', 'must be an object'],
    [{ url: 'redis://x', keepDead: { for: -1 } }, 'keepDead.for', 'must be a duration'],
    [{ url: 'redis://x', keepDead: { count: 1 } }, 'keepDead.count', 'is not a known key'],
    [{ url: 'redis://x', keepKeys: '1 day' }, 'keepKeys', 'duration'],
    [{ url: 'redis://x', durability: 'aof' }, 'durability', 'choices'],
    [{ url: 'redis://x', allowEviction: 'yes' }, 'allowEviction', 'choices'],
    [{ url: 'redis://x', onError: true }, 'onError', 'must be a function'],
    [{ url: 'redis://x', keepComplete: 5 }, 'keepComplete', 'is not a known key'],
    [{ url: 'unix:///run/redis.sock' }, 'url', 'must be a Redis URL'],
    [null, '', 'must be an object'],
    ['redis://:hunter2@x', '', 'must be an object'],
  ])('are refused in time and with their path: %j', async (options, path, message) => {
    const error = await failing(openRedisBroker(options as never));

    expect(error).toBeInstanceOf(InvalidOptionsError);
    expect(error).toMatchObject({ problems: [{ path, message: expect.stringContaining(message) }] });
    expect(printed(error)).not.toContain('hunter2');
  });

  it.each([
    [{ connection: 'redis://:hunter2@x' }, 'Use client.'],
    [{ host: 'localhost' }, "Use url: 'redis://host:6379'."],
    [{ url: 'redis://x', namespace: 'app' }, 'Use prefix.'],
  ])('with the names of other libraries say what to use: %j', async (options, cure) => {
    const error = await failing(openRedisBroker(options as never));

    expect(error).toMatchObject({ message: expect.stringContaining(cure) });
    expect(printed(error)).not.toContain('hunter2');
  });

  it('refuse a sentinel of redis, and say what follows a failover', async () => {
    const client = createSentinel({ name: 'main', sentinelRootNodes: [{ host: '127.0.0.1', port: 1 }] });

    const error = await failing(openRedisBroker({ client } as never));

    expect(error).toMatchObject({
      problems: [{ path: 'client', cure: expect.stringContaining('new Redis({ sentinels, name })') }],
    });
  });

  it('are refused together, with every problem', async () => {
    const error = await failing(
      openRedisBroker({ url: 'redis://x', prefix: '', partitions: 0, keepKeys: -1, reties: 3 } as never),
    );

    expect((error as InvalidOptionsError).problems.map(({ path }) => path).sort()).toEqual([
      ...['keepKeys', 'partitions', 'prefix', 'reties'],
    ]);
  });
});

const passwords = fc
  .string({
    unit: fc.constantFrom(...'abcXYZ019%@:/?#[]!$&\'()*+,;= "<>\\^`{|}~é😀'),
    minLength: 6,
    maxLength: 20,
  })
  // So that it does not occur in other text by chance.
  .map((text) => `sec${text}ret`);

describe('a password', () => {
  it('is not printed with any wrong option, as it is or encoded', async () => {
    await fc.assert(
      fc.asyncProperty(
        passwords,
        fc.boolean(),
        fc.constantFrom(
          'redis://u:PASSWORD@host:x',
          'http://u:PASSWORD@h',
          'PASSWORD',
          ':PASSWORD@h',
          'redis://PASSWORD@h/x',
        ),
        fc.constantFrom('url', 'uri', 'password', 'client', 'connection'),
        async (raw, isEncoded, template, key) => {
          const password = isEncoded ? encodeURIComponent(raw) : raw;
          const value = template.replace('PASSWORD', () => password);
          // By itself, `sec://host` is a URL without a password.
          fc.pre(!/^sec:\/\//.test(value));
          const options = key === 'connection' ? { connection: { password: value } } : { [key]: value };

          const error = await failing(openRedisBroker(options as never));

          expect(printed(error)).not.toContain(password);
          expect(printed(error)).not.toContain(inspect(password).slice(1, -1));
        },
      ),
    );
  });

  it('is no reason to hide what has none', async () => {
    const given = { url: 'redis://host:x', prefix: '{mail}', path: '/run/redis.sock' };

    const { problems } = (await failing(openRedisBroker(given as never))) as InvalidOptionsError;

    expect(Object.fromEntries(problems.map(({ path, value }) => [path, value]))).toEqual(given);
  });

  it('is removed from the copy of an error, wherever it was', () => {
    fc.assert(
      fc.property(passwords, (raw) => {
        const url = `redis://user:${encodeURIComponent(raw)}@host:1`;
        const inner = Object.assign(new TypeError(`Invalid URL ${url}`), {
          input: url,
          code: 'ERR_INVALID_URL',
        });
        const command = { name: 'auth', args: ['user', raw] };
        const error = Object.assign(new Error(`no: ${raw}`, { cause: inner }), { command });

        const copy = withoutSecrets(error, secretsOf(url));

        expect(printed(copy)).not.toContain(raw);
        expect(printed(copy)).not.toContain(encodeURIComponent(raw));
        expect(copy).toMatchObject({ cause: { code: 'ERR_INVALID_URL', name: 'TypeError' } });
      }),
    );
  });
});

describeOnPrivateRedis('a password of a server', () => {
  it('is not printed by a refusal, an error of the connection, or the broker itself', async () => {
    const server = await startPrivateRedis();
    const admin = await createClient({ url: server.url }).connect();
    await admin.configSet('requirepass', 'hunter2-right');
    await admin.close();
    const url = (password: string) => server.url.replace('redis://', `redis://:${password}@`);
    const seen: unknown[] = [];

    seen.push(await failing(openRedisBroker({ url: url('hunter2-wrong') })));
    const ioredis = new Redis(url('hunter2-wrong'), { retryStrategy: null });
    ioredis.on('error', (error) => seen.push(error.message));
    seen.push(await failing(openRedisBroker({ client: ioredis })));
    const broker = await openRedisBroker({
      url: url('hunter2-right'),
      onError: (error) => seen.push(error),
    });
    seen.push(broker);
    await server.stop();
    const late = broker
      .submit([{ id: 'a', lane: 'l', payload: '1' }])
      .catch((error: unknown) => seen.push(error));
    await new Promise((resolve) => setTimeout(resolve, 300));
    await broker.close();
    await late;

    expect(seen.length).toBeGreaterThan(3);
    for (const one of seen) expect(printed(one)).not.toContain('hunter2');
    expect(String(seen[0])).toMatch(/WRONGPASS/);
    ioredis.disconnect();
  });
});
