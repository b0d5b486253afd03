import { execFileSync } from 'node:child_process';
import type { RedisBroker } from '@retry/redis-queue';
import { Cluster, Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openRedisBroker } from '../support/redis-harness.ts';
import type { PrivateRedis } from '../support/servers/redis.ts';
import { findRedisBinary, startPrivateRedis } from '../support/servers/redis.ts';
import { connectToCluster, startPrivateCluster } from '../support/servers/redis-cluster.ts';
import { openProxy } from '../support/tcp-proxy.ts';

const NAME = "durability 'wait-aof'";
const SUBMISSION = { id: 'a', lane: 'l', payload: '{}' };
const CLAIM = { worker: 'w', requestId: 'r', limit: 9, lanes: new Map([['l', 9]]), leaseMs: 60_000 };

if (canWaitForAof()) describe(NAME, describeWaitAof);
else
  describe.skip(
    `${NAME} (not run: it needs Redis 7.2 or newer, or Valkey. Set REDIS_BINARY.)`,
    describeWaitAof,
  );

function describeWaitAof(): void {
  let server: PrivateRedis;
  const opened: { readonly close: () => Promise<unknown> }[] = [];
  beforeEach(async () => {
    server = await startPrivateRedis(['--appendonly', 'yes']);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    await server.stop();
  });

  const open = async (options: Parameters<typeof openRedisBroker>[0]): Promise<RedisBroker> => {
    const broker = await openRedisBroker({ durability: 'wait-aof', ...options });
    opened.push(broker);
    return broker;
  };
  const set = async (name: string, value: string, url = server.url): Promise<void> => {
    const client = await createClient({ url }).connect();
    await client.configSet(name, value);
    await client.close();
  };
  const sources = {
    'its own connection': async () => ({ url: server.url }),
    'a client of redis': async () => {
      const client = await createClient({ url: server.url }).connect();
      opened.push(client);
      return { client };
    },
    'a client of ioredis': async () => {
      const client = new Redis(server.url);
      opened.push({ close: () => client.quit() });
      return { client };
    },
  };

  it.each(Object.keys(sources) as (keyof typeof sources)[])('submits by %s', async (source) => {
    const broker = await open(await sources[source]());

    expect(await broker.submit([SUBMISSION])).toEqual(['created']);
    expect(await broker.submit([SUBMISSION])).toEqual(['exists']);
  });

  it.each([
    ['appendfsync', 'no'],
    ['appendonly', 'no'],
  ])('is refused by a server with %s %s', async (name, value) => {
    await set(name, value);

    const opening = open({ url: server.url });

    await expect(opening).rejects.toMatchObject({ code: 'REDIS_CANNOT_WAIT' });
    await expect(opening).rejects.toThrow(new RegExp(`got ${name} ${value}\\. Run CONFIG SET ${name} `));
  });

  it('accepts a server that refuses to report its settings', async () => {
    await set('appendfsync', 'no');
    const admin = await createClient({ url: server.url }).connect();
    await admin.sendCommand(['ACL', 'SETUSER', 'app', 'on', 'nopass', '~*', '&*', '+@all', '-config']);
    await admin.close();

    const broker = await open({ url: server.url.replace('redis://', 'redis://app:any@') });

    expect(broker.server).toMatchObject({ persistence: 'aof', appendFsync: undefined });
  });

  it('blocks no other call while a submit waits for the file', async () => {
    const broker = await open({ url: server.url });
    await set('appendfsync', 'no');
    let isAnswered = false;
    const submitting = broker.submit([SUBMISSION]).then(() => {
      isAnswered = true;
    });

    let claimed: readonly unknown[] = [];
    while (claimed.length === 0) ({ claimed } = await broker.exchange({ claim: CLAIM }));

    expect(isAnswered).toBe(false);
    await set('appendfsync', 'always');
    await broker.exchange({ claim: { ...CLAIM, requestId: 'next' } });
    await submitting;
  });

  it('rejects when the file is not written in time, and keeps the run', async () => {
    const broker = await open({ url: server.url });
    await set('appendfsync', 'no');

    await expect(broker.submit([SUBMISSION])).rejects.toMatchObject({ code: 'REDIS_NOT_DURABLE' });

    expect(await broker.audit()).toMatchObject({ submitted: 1 });
  });

  it('waits for the file even if another connection wrote the run', async () => {
    const [first, second] = [await open({ url: server.url }), await open({ url: server.url })];
    await set('appendfsync', 'no');
    const answers: unknown[] = [];
    const submit = async (broker: RedisBroker) => answers.push(...(await broker.submit([SUBMISSION])));
    const submitting = [submit(first)];
    while ((await second.audit()).submitted === 0);
    submitting.push(submit(second));
    await new Promise((resolve) => setTimeout(resolve, 200));

    expect(answers).toEqual([]);
    await set('appendfsync', 'always');
    await second.exchange({ claim: CLAIM });
    await Promise.all(submitting);
    expect(answers.sort()).toEqual(['created', 'exists']);
  });

  it('rejects when ioredis reconnects between the write and the wait', async () => {
    const proxy = await openProxy(server.port);
    const client = new Redis(proxy.port);
    opened.push(proxy, { close: async () => client.disconnect() });
    const broker = await open({ client });
    await set('appendfsync', 'no');
    const submitting = broker.submit([SUBMISSION]).catch((error: unknown) => error);
    while ((await broker.audit()).submitted === 0);
    await new Promise((resolve) => setTimeout(resolve, 100));

    proxy.aimAt(server.port);

    expect(await submitting).toBeInstanceOf(Error);
    await set('appendfsync', 'always');
    expect(await broker.submit([SUBMISSION])).toEqual(['exists']);
  });

  it('waits for the node of a cluster that has the run', async () => {
    const cluster = await startPrivateCluster(['--appendonly', 'yes']);
    const client = new Cluster(cluster.ports.map((port) => ({ host: '127.0.0.1', port })));
    opened.push({ close: cluster.stop }, { close: async () => client.disconnect() });
    const broker = await open({ client });
    await Promise.all(cluster.urls.map((url) => set('appendfsync', 'no', url)));
    const answers: unknown[] = [];
    const submitting = Array.from({ length: 8 }, async (_, index) => {
      answers.push(await broker.submit([{ ...SUBMISSION, id: `run-${index}` }]));
    });
    while ((await broker.audit()).submitted === 0);
    await new Promise((resolve) => setTimeout(resolve, 200));

    expect(answers).toEqual([]);
    await Promise.all(cluster.urls.map((url) => set('appendfsync', 'always', url)));
    await broker.exchange({ claim: CLAIM });
    await Promise.all(submitting);
  });

  it.each(['redis', 'ioredis'])(
    'sends nothing to a node of a cluster that has no key of the queue, by %s',
    async (name) => {
      const cluster = await startPrivateCluster(['--appendonly', 'yes']);
      const { client, close } = await connectToCluster(name, cluster);
      opened.push({ close: cluster.stop }, { close });
      const broker = await open({ client, prefix: 'here' });
      const owner = await cluster.ownerOf('{here:0}:lanes');
      const others = cluster.urls.filter((url) => url !== owner);
      await Promise.all(others.map((url) => set('appendonly', 'no', url)));

      expect(await broker.submit([SUBMISSION])).toEqual(['created']);
    },
  );

  it('submits to a server that has forgotten the scripts', async () => {
    const broker = await open({ url: server.url });
    const client = await createClient({ url: server.url }).connect();
    await client.scriptFlush();
    await client.close();

    expect(await broker.submit([SUBMISSION])).toEqual(['created']);
  });
}

function canWaitForAof(): boolean {
  const binary = findRedisBinary();
  if (binary === undefined) return false;
  const [, major = 0, minor = 0] = (
    / v=(\d+)\.(\d+)/.exec(execFileSync(binary, ['--version']).toString()) ?? []
  ).map(Number);
  return major > 7 || (major === 7 && minor >= 2);
}
