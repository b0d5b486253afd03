import type { RedisBrokerOptions } from '@retry/redis-queue';
import { Redis as IoRedis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RedisHarness } from '../support/redis-harness.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import type { PrivateRedis } from '../support/servers/redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { settlementOf } from '../support/settle.ts';

const textOf = (letter: string, length = 20_000): string => JSON.stringify(letter.repeat(length));

/** A client of a package, and how to close it. */
interface Connected {
  readonly options: RedisBrokerOptions;
  readonly close: () => Promise<unknown>;
}

const CLIENTS: Readonly<Record<string, (url: string) => Promise<Connected>>> = {
  'by url': async (url) => ({ options: { url }, close: async () => {} }),
  'by redis': async (url) => {
    const client = await createClient({ url }).connect();
    return { options: { client }, close: () => client.close() };
  },
  'by ioredis': async (url) => {
    const client = new IoRedis(url);
    return { options: { client }, close: () => client.quit() };
  },
  'by a client without transactions': async (url) => {
    const client = await createClient({ url }).connect();
    const sendCommand = client.sendCommand.bind(client);
    return {
      options: { client: { sendCommand, duplicate: () => client.duplicate() } },
      close: () => client.close(),
    };
  },
};

describeOnPrivateRedis('long payloads on Redis', () => {
  let server: PrivateRedis;
  let admin: ReturnType<typeof createClient>;
  let harness: RedisHarness | undefined;
  let connected: Connected | undefined;
  beforeEach(async () => {
    server = await startPrivateRedis();
    admin = createClient({ url: server.url });
    await admin.connect();
  });
  afterEach(async () => {
    await harness?.close();
    await connected?.close();
    await admin.close();
    await server.stop();
  });

  const open = async (name: string, options: RedisBrokerOptions = {}) => {
    connected = await CLIENTS[name]?.(server.url);
    harness = await openRedisHarness(server.url, { ...connected?.options, ...options });
    return harness.broker;
  };
  const key = (name: string): string => `{${harness?.prefix}:0}:${name}`;
  const kept = () => admin.hGetAll(key('large')).then((all) => ({ ...all }));

  it.each(Object.keys(CLIENTS))('are those of the first submission of an id, %s', async (name) => {
    const broker = await open(name);
    const submit = (id: string, payload: string) => broker.submit([{ id, lane: 'l', payload }]);

    expect(await submit('a', textOf('a'))).toEqual(['created']);
    expect(await submit('a', textOf('b'))).toEqual(['exists']);
    expect(await submit('a', '1')).toEqual(['exists']);
    expect(await submit('small', '1')).toEqual(['created']);
    expect(await submit('small', textOf('b'))).toEqual(['exists']);

    expect((await broker.get(['a', 'small'])).map((run) => run?.payload)).toEqual([textOf('a'), '1']);
    expect(await kept()).toEqual({ pa: textOf('a') });
  });

  it.each(Object.keys(CLIENTS))('in one call are those of the first of each id, %s', async (name) => {
    const broker = await open(name);

    const answers = await broker.submit([
      { id: 'a', lane: 'l', payload: '1' },
      { id: 'b', lane: 'l', payload: textOf('b') },
      { id: 'a', lane: 'l', payload: textOf('a') },
      { id: 'c', lane: 'm', payload: textOf('c'), delayMs: 60_000 },
      { id: 'b', lane: 'l', payload: textOf('x') },
    ]);

    expect(answers).toEqual(['created', 'created', 'exists', 'created', 'exists']);
    expect((await broker.get(['a', 'b', 'c'])).map((run) => run?.payload)).toEqual([
      '1',
      textOf('b'),
      textOf('c'),
    ]);
    expect(await kept()).toEqual({ pb: textOf('b'), pc: textOf('c') });
  });

  it('of many runs in one call reach their workers', async () => {
    const broker = await open('by url');
    const payloads = Array.from({ length: 50 }, (_, index) => textOf('x', 4_090 + index));

    await broker.submit(payloads.map((payload, index) => ({ id: `run-${index}`, lane: 'l', payload })));

    const lanes = new Map([['l', 100]]);
    const claim = { worker: 'w', requestId: 'r', limit: 100, lanes, leaseMs: 60_000 };
    const { claimed } = await broker.exchange({ claim });
    expect(claimed.map(({ run }) => run.payload)).toEqual(payloads);
  });

  it.each(['é', '…', '😀', '\u0001'])('with %j anywhere are stored as they are', async (letter) => {
    const broker = await open('by url');
    const ascii = 'x'.repeat(5_000);
    const payloads = [letter + ascii, ascii + letter, letter.repeat(5_000), ascii];

    await broker.submit(payloads.map((payload, index) => ({ id: `run-${index}`, lane: 'l', payload })));

    const runs = await broker.get(payloads.map((_, index) => `run-${index}`));
    expect(runs.map((run) => run?.payload)).toEqual(payloads);
  });

  it('are not kept for the name of a forgotten run', async () => {
    const broker = await open('by url', { keepCompleted: { count: 0 } });
    await broker.submit([{ id: 'a', lane: 'l', payload: textOf('a'), keyed: true }]);
    const claim = { worker: 'w', requestId: 'r', limit: 1, lanes: new Map([['l', 1]]), leaseMs: 60_000 };
    const { claimed, now: at } = await broker.exchange({ claim });
    await broker.exchange({
      settle: claimed.map(({ run }) => settlementOf(run, { type: 'complete', at })),
    });

    const answers = await broker.submit([{ id: 'a', lane: 'l', payload: textOf('b'), keyed: true }]);

    expect(answers).toEqual(['exists']);
    expect(await broker.get(['a'])).toEqual([undefined]);
    expect(await kept()).toEqual({});
  });

  it.each(Object.keys(CLIENTS))('are kept by a server that has lost its scripts, %s', async (name) => {
    const broker = await open(name);
    await admin.scriptFlush();

    expect(await broker.submit([{ id: 'a', lane: 'l', payload: textOf('a') }])).toEqual(['created']);

    expect(await kept()).toEqual({ pa: textOf('a') });
  });

  it('are not kept for a lane that the server refuses', async () => {
    const broker = await open('by url');
    await admin.set(key('lane:taken'), 'of another program');
    const submit = () => broker.submit([{ id: 'a', lane: 'taken', payload: textOf('a') }]);

    await expect(submit()).rejects.toThrow('WRONGTYPE');
    expect(await broker.get(['a'])).toEqual([undefined]);
    expect(await kept()).toEqual({});

    await admin.del(key('lane:taken'));
    expect(await submit()).toEqual(['created']);
  });

  it.each([1, 2])('replace what a process that was killed has left under the id of %i run', async (count) => {
    const broker = await open('by url');
    await admin.hSet(key('large'), { pa: textOf('x') });
    const both = ['a', 'b'].map((id) => ({ id, lane: 'l', payload: textOf(id) }));

    await broker.submit(both.slice(0, count));

    expect((await broker.get(['a']))[0]?.payload).toBe(textOf('a'));
  });

  it.each(Object.keys(CLIENTS))(
    'are refused with their runs by a server without memory, %s',
    async (name) => {
      const broker = await open(name);
      await broker.submit([{ id: 'a', lane: 'l', payload: textOf('a') }]);
      await admin.configSet('maxmemory', '1');

      const refused = await broker
        .submit([{ id: 'b', lane: 'l', payload: textOf('b') }])
        .catch((error) => error);

      await admin.configSet('maxmemory', '0');
      expect(String(refused)).toContain('OOM');
      expect(broker.isRefusal(refused)).toBe(false);
      expect(await broker.get(['b'])).toEqual([undefined]);
      expect(await kept()).toEqual({ pa: textOf('a') });
      expect(await broker.audit()).toMatchObject({ created: 1, unbalanced: 0 });
    },
  );
});
