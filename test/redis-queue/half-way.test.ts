import { createQueue, createWorker, defineTask } from '@retry/worker';
import { expect, it } from 'vitest';
import { assertBalanced } from '../support/broker-checked.ts';
import { openRedisBroker, useRedis } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { settlementOf } from '../support/settle.ts';
import { describeWithUser } from './limited-user.ts';

describeOnRedis('a call that Redis refuses half-way', (server) => {
  const redis = useRedis(server);
  let requests = 0;
  const claimOf = (lanes: readonly string[], leaseMs = 60_000) => ({
    worker: 'w',
    requestId: `r${++requests}`,
    limit: 100,
    lanes: new Map(lanes.map((lane) => [lane, 100])),
    leaseMs,
  });
  const claim = async (lane = 'l', leaseMs = 60_000) =>
    (await redis.broker.exchange({ claim: claimOf([lane], leaseMs) })).claimed.map(({ run }) => run);
  const complete = async (run: Awaited<ReturnType<typeof claim>>[number]) => {
    const { now: at } = await redis.broker.exchange({});
    return (await redis.broker.exchange({ settle: [settlementOf(run, { type: 'complete', at })] })).settled;
  };

  it('keeps no run of a submit to a lane whose key another program uses', async () => {
    await redis.client.set(redis.key('lane:taken'), 'of another program');

    const together = redis.broker.submit([
      { id: 'a', lane: 'l', payload: '1' },
      { id: 'b', lane: 'taken', payload: '1' },
    ]);

    await expect(together).rejects.toThrow('WRONGTYPE');
    expect(await redis.broker.submit([{ id: 'a', lane: 'l', payload: '1' }])).toEqual(['created']);
    expect((await claim()).map(({ id }) => id)).toEqual(['a']);
    await redis.client.del(redis.key('lane:taken'));
    expect(await redis.broker.submit([{ id: 'b', lane: 'taken', payload: '1' }])).toEqual(['created']);
    assertBalanced(await redis.broker.audit());
  });

  it('makes no dead letter of what a submit left in the schedule before it wrote a body', async () => {
    await redis.broker.submit([{ id: 'a', lane: 'l', payload: '1', delayMs: 1 }]);
    await redis.client.hDel(redis.key('body'), 'a');
    await redis.client.hDel(redis.key('record'), 'a');
    await redis.client.hIncrBy(redis.key('meta'), 'created', -1);
    await redis.advance(20);

    expect(await claim()).toEqual([]);

    expect(await redis.broker.submit([{ id: 'a', lane: 'l', payload: '1' }])).toEqual(['created']);
    expect((await claim()).map(({ id }) => id)).toEqual(['a']);
    assertBalanced(await redis.broker.audit());
  });

  it('settles no run together with a submission to a lane whose key another program uses', async () => {
    await redis.broker.submit([{ id: 'a', lane: 'l', payload: '1' }]);
    const [run] = await claim();
    if (run === undefined) throw new Error('nothing was claimed');
    await redis.client.set(redis.key('lane:taken'), 'of another program');
    const submit = { id: '{a}next', lane: 'taken', payload: '1' };
    const settle = [{ ...settlementOf(run, { type: 'fail', at: run.firstStartedAt ?? 0 }), submit }];

    await expect(redis.broker.exchange({ settle })).rejects.toThrow('WRONGTYPE');

    expect((await redis.broker.get(['a', '{a}next'])).map((one) => one?.state)).toEqual([
      'started',
      undefined,
    ]);
    await redis.client.del(redis.key('lane:taken'));
    expect((await redis.broker.exchange({ settle })).settled).toEqual(['ok']);
    expect((await claim('taken')).map(({ id }) => id)).toEqual(['{a}next']);
    assertBalanced(await redis.broker.audit());
  });

  it('submits once, when the settlement is refused after the submission', async () => {
    await redis.broker.submit([{ id: 'a', lane: 'l', payload: '1' }]);
    const [run] = await claim();
    if (run === undefined) throw new Error('nothing was claimed');
    await redis.client.set(redis.key('dead'), 'of another program');
    const submit = { id: '{a}next', lane: 'm', payload: '1' };
    const settle = [{ ...settlementOf(run, { type: 'fail', at: run.firstStartedAt ?? 0 }), submit }];

    await expect(redis.broker.exchange({ settle })).rejects.toThrow('WRONGTYPE');
    await redis.client.del(redis.key('dead'));
    await redis.broker.exchange({ settle });

    expect((await claim('m')).map(({ id }) => id)).toEqual(['{a}next']);
    expect(await claim('m')).toEqual([]);
  });

  it('settles no run together with a claim from a lane whose key another program uses', async () => {
    const concurrency = { key: 'k', limit: 1, whenFull: 'wait' } as const;
    const ids = ['a', 'b'];
    await redis.broker.submit(ids.map((id) => ({ id, lane: 'l', payload: '1', concurrency })));
    const [run] = await claim();
    if (run === undefined) throw new Error('nothing was claimed');
    await redis.client.set(redis.key('lane:taken'), 'of another program');
    const settle = [settlementOf(run, { type: 'complete', at: run.firstStartedAt ?? 0 })];

    await expect(redis.broker.exchange({ settle, claim: claimOf(['taken']) })).rejects.toThrow('WRONGTYPE');

    expect((await redis.broker.exchange({ settle })).settled).toEqual(['ok']);
    expect((await claim()).map(({ id }) => id)).toEqual(['b']);
    await redis.client.del(redis.key('lane:taken'));
    assertBalanced(await redis.broker.audit());
  });

  it('counts the other lanes when another program uses the key of one', async () => {
    await redis.broker.submit(['l', 'taken'].map((lane) => ({ id: lane, lane, payload: '1' })));
    await redis.client.set(redis.key('lane:taken'), 'of another program');

    expect(await redis.broker.attend()).toEqual([{ lane: 'l', waiting: 1 }]);
  });

  it.each([undefined, { key: 'k', limit: 1, whenFull: 'wait' } as const])(
    'starts a run once whose id is in its lane twice',
    async (concurrency) => {
      const ids = ['a', 'b', 'c'];
      await redis.broker.submit(
        ids.map((id) => ({ id, lane: 'l', payload: '1', delayMs: 1, ...(concurrency && { concurrency }) })),
      );
      await redis.advance(20);
      await redis.client.rPush(redis.key('lane:l'), ids);
      const started: string[] = [];
      for (let rounds = 0; rounds < 6; rounds += 1) {
        const claimed = await claim();
        started.push(...claimed.map(({ id }) => id));
        for (const run of claimed) await complete(run);
      }

      expect(started.sort()).toEqual(ids);
      assertBalanced(await redis.broker.audit());
    },
  );

  it('frees the slot of a started run whose body was lost', async () => {
    const concurrency = { key: 'k', limit: 1, whenFull: 'wait' } as const;
    const ids = ['a', 'b', 'c'];
    await redis.broker.submit(ids.map((id) => ({ id, lane: 'l', payload: '1', concurrency })));
    const [run] = await claim();
    if (run === undefined) throw new Error('nothing was claimed');
    await redis.client.hSet(redis.key('body'), 'a', '');

    expect(await complete(run)).toEqual(['ok']);

    const [next] = await claim();
    expect(next?.id).toBe('b');
    assertBalanced(await redis.broker.audit());
  });

  it('starts the next run of a key when the first one cannot be read', async () => {
    const concurrency = { key: 'k', limit: 1, whenFull: 'wait' } as const;
    const ids = ['a', 'b', 'c'];
    await redis.broker.submit(ids.map((id) => ({ id, lane: 'l', payload: '1', concurrency })));
    const [run] = await claim();
    if (run === undefined) throw new Error('nothing was claimed');
    await redis.client.hSet(redis.key('record'), 'b', 'garbage');

    await complete(run);
    await claim();

    expect((await claim()).map(({ id }) => id)).toEqual(['c']);
    expect((await redis.broker.list({ state: 'failed', limit: 10 })).runs).toMatchObject([{ id: 'b' }]);
    assertBalanced(await redis.broker.audit());
  });

  it.each([
    ['record', (text: string) => text.slice(0, 28)],
    ['record', (text: string) => `${text.slice(0, 30)}\u0019${text.slice(31)}`],
    ['body', (text: string) => text.replace('-l', '-m')],
  ])('makes a dead letter of a started run whose lane is unknown: %s', async (name, change) => {
    await redis.broker.submit([{ id: 'a', lane: 'l', payload: '1' }]);
    await claim('l', 1);
    await redis.advance(20);
    await redis.client.hSet(
      redis.key(name),
      'a',
      change((await redis.client.hGet(redis.key(name), 'a')) ?? ''),
    );

    expect(await redis.broker.findExpired(10, { lanes: ['l'] })).toEqual([]);

    expect(
      (await redis.broker.list({ state: 'failed', errorName: 'UNREADABLE_RUN', limit: 10 })).runs,
    ).toMatchObject([{ id: 'a' }]);
    assertBalanced(await redis.broker.audit());
  });
});

const REVOKED = [
  'exists',
  'hget',
  'hincrby',
  'hset',
  'hsetnx',
  'ltrim',
  'publish',
  'rpush',
  'sadd',
  'zadd',
  'zrem',
];

describeWithUser('a Redis user that loses a right while it works', (user) => {
  it.each(REVOKED)('loses no run for the lack of %s', async (command) => {
    const { url, change } = user();
    const broker = await openRedisBroker({ url });
    const queue = createQueue({ broker });
    const done = new Set<number>();
    const task = defineTask({
      name: 'work',
      retry: { maxAttempts: 10, backoff: { type: 'constant', base: '5ms' } },
      run: (payload: number, { attempt }) => {
        if (attempt <= payload % 3) throw new Error('once more');
        done.add(payload);
      },
    });
    const options = { concurrency: 20, lease: '1s', cleanerInterval: '200ms', signals: [] } as const;
    const worker = createWorker({ broker, tasks: [task], ...options });
    const errors = new Set<unknown>();
    worker.on('error', ({ error }) => errors.add(error));
    worker.start();
    const accepted = new Set<number>();
    const submit = async (payload: number): Promise<void> => {
      const own = payload % 5 === 0 ? { delay: 20 } : {};
      const concurrency = payload % 7 === 0 ? { concurrency: { key: 'k', limit: 2 } } : {};
      await queue.submit(task, payload, { ...own, ...concurrency, key: `${payload}` });
      accepted.add(payload);
    };
    const submitMany = (from: number) =>
      Promise.allSettled(Array.from({ length: 40 }, (_, index) => submit(from + index)));

    for (let cycle = 0; cycle < 2; cycle += 1) {
      await submitMany(cycle * 100);
      await change(`-${command}`);
      await submitMany(cycle * 100 + 50);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await change(`+${command}`);
      // The same ids again: runs that are known already must be there.
      await submitMany(cycle * 100 + 50);
    }

    await expect.poll(() => [...accepted].filter((one) => !done.has(one)), { timeout: 30_000 }).toEqual([]);
    expect(accepted.size).toBe(160);
    const codes = [...errors].map((error) => (error as { readonly code?: string }).code);
    expect(codes.filter((code) => code !== 'MISSING_RIGHTS')).toEqual([]);
    await worker.stop();
    await broker.close();
  });
});
