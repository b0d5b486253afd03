import type { Broker, ClaimedRun } from '@retry/core/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import type { PrivateRedis } from '../support/servers/redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { settlementOf } from '../support/settle.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { openProxy } from '../support/tcp-proxy.ts';

const LONG_MS = 60_000;

describeOnPrivateRedis('a Redis broker whose server or network fails', () => {
  let server: PrivateRedis;
  let proxy: TcpProxy;
  let broker: Broker;
  beforeEach(async () => {
    server = await startPrivateRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    proxy = await openProxy(server.port);
    // Its connections break.
    broker = await openRedisBroker({ url: `redis://127.0.0.1:${proxy.port}`, onError: () => {} });
  });
  afterEach(async () => {
    await broker.close();
    await proxy.close();
    await server.stop();
  });

  const submit = (...ids: readonly string[]) =>
    broker.submit(ids.map((id) => ({ id, lane: 'l', payload: '{}' })));

  const claim = async (requestId: string): Promise<readonly ClaimedRun[]> => {
    const lanes = new Map([['l', 10]]);
    const wanted = { worker: 'w', requestId, limit: 10, lanes, leaseMs: LONG_MS };
    return (await untilAnswered(() => broker.exchange({ claim: wanted }))).claimed;
  };

  /** Repeats a call until it is answered, as a worker does. */
  const untilAnswered = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      try {
        return await call();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };

  it('keeps one run of a submission that is repeated because its reply was lost', async () => {
    await submit('first');
    proxy.loseReplyTo('EVALSHA');

    const answers = await untilAnswered(() => submit('a', 'b'));

    expect(proxy.lost()).toBe(1);
    expect(answers).toEqual(['exists', 'exists']);
    expect(await broker.audit()).toMatchObject({ created: 3, submitted: 3, unbalanced: 0 });
  });

  it('returns the same runs, charged once, to a claim that is repeated because its reply was lost', async () => {
    await submit('a', 'b');
    await broker.exchange({});
    proxy.loseReplyTo('EVALSHA');

    const claimed = await claim('lost');

    expect(proxy.lost()).toBe(1);
    expect(claimed.map(({ run }) => [run.id, run.epoch])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(await broker.audit()).toMatchObject({ started: 2, unbalanced: 0 });
  });

  it('returns the same runs, charged once, when the reply with their large payloads was lost', async () => {
    const payload = JSON.stringify('x'.repeat(20_000));
    await broker.exchange({});
    await broker.submit([{ id: 'a', lane: 'l', payload }]);
    proxy.loseReplyTo('HMGET');

    const claimed = await claim('large');

    expect(proxy.lost()).toBe(1);
    expect(claimed.map(({ run }) => [run.id, run.epoch, run.payload])).toEqual([['a', 1, payload]]);
    expect(await broker.audit()).toMatchObject({ started: 1, unbalanced: 0 });
  });

  it('answers already to a settlement that is repeated because its reply was lost', async () => {
    await submit('a');
    const [claimed] = await claim('first');
    const settle = claimed ? [settlementOf(claimed.run, { type: 'complete', at: 1 }, { result: '1' })] : [];
    proxy.loseReplyTo('EVALSHA');

    const { settled } = await untilAnswered(() => broker.exchange({ settle }));

    expect(proxy.lost()).toBe(1);
    expect(settled).toEqual(['already']);
    expect(await broker.get(['a'])).toMatchObject([{ state: 'completed', result: '1' }]);
  });

  it('loads its scripts again when the server has forgotten them', async () => {
    await submit('a');
    const other = createClient({ url: server.url });
    await other.connect();

    await other.scriptFlush();

    expect((await claim('after')).map(({ run }) => run.id)).toEqual(['a']);
    await other.scriptFlush();
    expect(await broker.audit()).toMatchObject({ started: 1, unbalanced: 0 });
    await other.close();
  });

  it('refuses submits without memory, and still claims and settles runs', async () => {
    const concurrency = { key: 'k', limit: 1, whenFull: 'wait' } as const;
    await broker.submit(['a', 'b'].map((id) => ({ id, lane: 'l', payload: '{}', concurrency })));
    const other = await createClient({ url: server.url }).connect();
    await other.configSet('maxmemory', '1');

    const [first] = await claim('without memory');
    const beats = await broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS);
    const settle = first ? [settlementOf(first.run, { type: 'complete', at: 1 })] : [];
    const { settled } = await broker.exchange({ settle });
    const [second] = await claim('still without');

    await expect(submit('c')).rejects.toThrow(/OOM/);
    expect([beats, settled, second?.run.id]).toEqual([['ok'], ['ok'], 'b']);
    expect(await broker.audit()).toMatchObject({ created: 2, started: 1, unbalanced: 0 });
    await other.close();
  });

  it.each(['redis', 'ioredis'])(
    'starts without memory by a client of %s, and works the queue off',
    async (name) => {
      await submit('a');
      const other = await createClient({ url: server.url }).connect();
      const client = name === 'redis' ? other : new Redis(server.url);
      await other.configSet('maxmemory', '1');

      const late = await openRedisBroker({ client });
      const { claimed } = await late.exchange({
        claim: { worker: 'w', requestId: 'late', limit: 1, lanes: new Map([['l', 1]]), leaseMs: LONG_MS },
      });

      expect(claimed.map(({ run }) => run.id)).toEqual(['a']);
      expect(await createQueue({ broker: late }).counts()).toMatchObject({ started: 1 });
      await late.close();
      if (client instanceof Redis) client.disconnect();
      await other.close();
    },
  );

  it('loses no run when the server is killed and restarts with its append-only file', async () => {
    const queue = createQueue({ broker });
    const executed: string[] = [];
    const task = defineTask({
      name: 'work',
      retry: { backoff: { type: 'none' } },
      run: async (_: number, { id, epoch }) => {
        executed.push(`${epoch}:${id}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      },
    });
    await queue.submitMany(
      task,
      Array.from({ length: 400 }, (_, index) => index),
    );
    const worker = createWorker({ broker, tasks: [task], signals: [], concurrency: 20, lease: 1_000 });
    worker.on('error', () => {});
    worker.start();
    await new Promise((resolve) => setTimeout(resolve, 150));

    await server.restart('SIGKILL');

    await worker.whenIdle().catch(() => {});
    await untilAnswered(async () => {
      const { submitted, scheduled, started } = await broker.audit();
      if (submitted + scheduled + started > 0) throw new Error('there is more to do');
    });
    await worker.stop();
    expect(await broker.audit()).toMatchObject({
      created: 400,
      ended: { completed: 400 },
      unbalanced: 0,
    });
    expect(new Set(executed).size).toBe(executed.length);
  });

  it('wakes a waiting worker after a restart of the server, without a poll', async () => {
    const queue = createQueue({ broker });
    const task = defineTask({ name: 'work', run: () => 'done' });
    const worker = createWorker({ broker, tasks: [task], signals: [], pollInterval: '10m' });
    worker.on('error', () => {});
    worker.start();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.restart('SIGKILL');

    const { id } = await untilAnswered(() => queue.submit(task, null));

    expect(await untilAnswered(() => queue.waitForResult(id))).toBe('done');
    await worker.stop();
  });
});
