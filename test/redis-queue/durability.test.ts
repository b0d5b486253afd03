import { execFileSync } from 'node:child_process';
import type { RedisBroker } from '@retry/redis-queue';
import { createRedisBroker } from '@retry/redis-queue';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PrivateRedis } from '../support/servers/redis.ts';
import { findRedisBinary, startPrivateRedis } from '../support/servers/redis.ts';

const NAME = "durability 'wait-aof'";
const SUBMISSION = { id: 'a', lane: 'l', payload: '{}' };

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

  const open = async (options: Parameters<typeof createRedisBroker>[0]): Promise<RedisBroker> => {
    const broker = await createRedisBroker({ durability: 'wait-aof', ...options });
    opened.push(broker);
    return broker;
  };
  const set = async (name: string, value: string): Promise<void> => {
    const client = await createClient({ url: server.url }).connect();
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

  it('keeps nobody else waiting while a submit waits for the file', async () => {
    await set('appendfsync', 'no');
    const broker = await open({ url: server.url });
    let isAnswered = false;
    const submitting = broker.submit([SUBMISSION]).then(() => {
      isAnswered = true;
    });

    const claim = { worker: 'w', requestId: 'r', limit: 9, lanes: new Map([['l', 9]]), leaseMs: 60_000 };
    let claimed: readonly unknown[] = [];
    while (claimed.length === 0) ({ claimed } = await broker.exchange({ claim }));

    expect(isAnswered).toBe(false);
    await set('appendfsync', 'always');
    await broker.exchange({ claim: { ...claim, requestId: 'next' } });
    await submitting;
  });

  it('says so when the file does not take it, and keeps it', { timeout: 30_000 }, async () => {
    await set('appendfsync', 'no');
    const broker = await open({ url: server.url });

    await expect(broker.submit([SUBMISSION])).rejects.toMatchObject({ code: 'REDIS_NOT_DURABLE' });

    expect(await broker.audit()).toMatchObject({ waiting: 1 });
  });

  it('waits for the file also where another connection wrote the run', async () => {
    await set('appendfsync', 'no');
    const [first, second] = [await open({ url: server.url }), await open({ url: server.url })];
    const answers: unknown[] = [];
    const submit = async (broker: RedisBroker) => answers.push(...(await broker.submit([SUBMISSION])));
    const submitting = [submit(first)];
    while ((await second.audit()).waiting === 0);
    submitting.push(submit(second));
    await new Promise((resolve) => setTimeout(resolve, 200));

    expect(answers).toEqual([]);
    await set('appendfsync', 'always');
    await second.exchange({
      claim: { worker: 'w', requestId: 'r', limit: 9, lanes: new Map([['l', 9]]), leaseMs: 60_000 },
    });
    await Promise.all(submitting);
    expect(answers.sort()).toEqual(['created', 'exists']);
  });

  it('survives a server that forgets its scripts', async () => {
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
