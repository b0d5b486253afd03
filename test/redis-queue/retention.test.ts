import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { createRedisBroker } from '@retry/redis-queue';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertBalanced } from '../support/broker-checked.ts';
import { useScene } from '../support/broker-scene.ts';
import { passTime } from '../support/pass-time.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPrivateRedis, describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { settlementOf } from '../support/settle.ts';
import { describeWithUser } from './limited-user.ts';

describeOnRedis('a Redis broker that keeps two completed runs', (server) => {
  const scene = useScene(() => openRedisHarness(server().url, { keepCompleted: { count: 2 } }));
  const end = async (type: 'complete' | 'fail' | 'drop', ...ids: readonly string[]): Promise<void> => {
    await scene.submit(...ids);
    const claimed = await scene.claim();
    const at = await scene.now();
    await scene.settle(...claimed.map(({ run }) => settlementOf(run, { type, at })));
  };

  it('forgets the oldest of the completed, cancelled and dropped runs', async () => {
    await end('complete', 'a', 'b');
    await end('drop', 'c');
    await scene.submit('d');
    await cancelRuns(scene.broker, ['d']);

    const kept = await scene.broker.get(['a', 'b', 'c', 'd']);

    expect(kept.map((run) => run?.state)).toEqual([undefined, undefined, 'dropped', 'cancelled']);
    expect(await scene.broker.audit()).toMatchObject({ created: 4, forgotten: 2 });
  });

  it('keeps dead letters without limit', async () => {
    await end('fail', 'a', 'b', 'c', 'd');

    expect((await scene.broker.list({ state: 'failed', limit: 10 })).runs).toHaveLength(4);
  });

  it('forgets a disposable dead letter like a completed run, and redrives it until then', async () => {
    await scene.submit('a', 'b', 'c', 'd');
    const claimed = await scene.claim();
    const at = await scene.now();
    const settlements = claimed.map(({ run }) => settlementOf(run, { type: 'fail', at }));
    await scene.settle(...settlements.map((one) => ({ ...one, next: { ...one.next, isDisposable: true } })));

    expect(await redriveRuns(scene.broker, ['a', 'c'])).toEqual(['gone', 'redriven']);
    expect((await scene.broker.list({ state: 'failed', limit: 10 })).runs).toMatchObject([
      { id: 'd', isDisposable: true },
    ]);
    expect(await scene.broker.audit()).toMatchObject({ forgotten: 2, submitted: 1, ended: { failed: 1 } });
  });

  it('forgets the old one of two runs that had the same id one after the other', async () => {
    await end('complete', 'a');
    await discardRuns(scene.broker, ['a']);
    await end('complete', 'a', 'b');

    expect((await scene.broker.get(['a', 'b'])).map((run) => run?.state)).toEqual(['completed', 'completed']);
  });
});

describeOnRedis('a Redis broker that keeps some completed runs', (server) => {
  it('keeps as many of the latest, and a hundredth more at most', async () => {
    const keeps = fc.constantFrom(0, 1, 20, 99, 100, 250);
    const ends = fc.array(fc.integer({ min: 1, max: 160 }), { minLength: 1, maxLength: 8 });
    const property = fc.asyncProperty(keeps, ends, async (count, batches) => {
      const harness = await openRedisHarness(server().url, { keepCompleted: { count } });
      const { broker } = harness;
      const ids: string[] = [];
      for (const [batch, size] of batches.entries()) {
        const some = Array.from({ length: size }, (_, index) => `${batch}-${index}`);
        await broker.submit(some.map((id) => ({ id, lane: 'l', payload: '1' })));
        const claim = { worker: 'w', requestId: `${batch}`, limit: size, lanes: new Map([['l', size]]) };
        const { claimed, now: at } = await broker.exchange({ claim: { ...claim, leaseMs: 60_000 } });
        const settle = claimed.map(({ run }) => settlementOf(run, { type: 'complete', at }));
        await broker.exchange({ settle });
        ids.push(...some);

        const kept = (await broker.get(ids)).map((run) => run !== undefined);

        const least = Math.min(ids.length, count);
        expect(kept.slice(kept.length - least)).toEqual(Array.from({ length: least }, () => true));
        expect(kept.filter(Boolean).length).toBeLessThanOrEqual(count + Math.floor(count / 100));
        assertBalanced(await broker.audit());
      }
      await harness.close();
    });

    await fc.assert(property, { numRuns: 20 });
  });
});

describeOnRedis('a large claim on a Redis broker', (server) => {
  const scene = useScene(() => openRedisHarness(server().url));

  it('returns the runs that are still leased by it when it is repeated', async () => {
    const payload = JSON.stringify('x'.repeat(40_000));
    const over = { key: 'k', limit: 1, whenFull: 'claim' } as const;
    await scene.submit({ id: 'a', payload }, { id: 'b', payload, concurrency: over });
    await scene.submit({ id: 'c', payload, concurrency: over });
    const first = await scene.claim({ requestId: 'lost' });
    const at = await scene.now();
    const [a] = first;
    if (a) await scene.settle(settlementOf(a.run, { type: 'release', at }));

    const again = await scene.claim({ requestId: 'lost' });

    expect(first.map(({ run, isOverLimit }) => [run.id, isOverLimit])).toEqual([
      ['a', false],
      ['b', false],
      ['c', true],
    ]);
    expect(again).toEqual(first.slice(1));
    expect(await scene.broker.audit()).toMatchObject({ started: 2, submitted: 1 });
  });
});

describeOnPrivateRedis('a Redis server of 64 MB', () => {
  it('takes any number of runs of 900 kB that complete, and keeps every run', async () => {
    const server = await startPrivateRedis(['--maxmemory', '64mb']);
    const { broker, close } = await openRedisHarness(server.url, { keepCompleted: {} });
    const payload = JSON.stringify('x'.repeat(900_000));

    for (let count = 0; count < 150; count += 1) {
      await broker.submit([{ id: `${count}`, lane: 'l', payload }]);
      const lanes = new Map([['l', 1]]);
      const claim = { worker: 'w', requestId: `${count}`, limit: 1, lanes, leaseMs: 60_000 };
      const { claimed, now } = await broker.exchange({ claim });
      const settle = claimed.map(({ run }) => settlementOf(run, { type: 'complete', at: now }));
      await broker.exchange({ settle });
    }

    const { ended, forgotten, unbalanced } = await broker.audit();
    const runs = await broker.get(Array.from({ length: 150 }, (_, index) => `${index}`));
    expect({ kept: ended.completed, forgotten, unbalanced }).toEqual({
      kept: 150,
      forgotten: 0,
      unbalanced: 0,
    });
    // A quarter of 64 MiB: 18 payloads.
    expect(runs.map((run) => run?.trimmed !== undefined).lastIndexOf(true)).toBe(150 - 18 - 1);
    expect(runs.slice(-18).every((run) => run?.payload === payload)).toBe(true);
    await close();
    await server.stop();
  });
});

describeWithUser('a Redis broker that keeps what ended for a time', (user) => {
  it('says by onError that it may not forget, and still finds what has expired', async () => {
    const errors: unknown[] = [];
    await using broker = createRedisBroker({
      url: user().url,
      prefix: 'kept',
      keepCompleted: { for: 1 },
      onError: (error) => errors.push(error),
    });
    await broker.submit(['ended', 'expired'].map((id) => ({ id, lane: 'l', payload: '1' })));
    const claim = { worker: 'w', requestId: 'r', limit: 2, lanes: new Map([['l', 2]]), leaseMs: 1 };
    const { claimed, now } = await broker.exchange({ claim });
    const settle = claimed.slice(0, 1).map(({ run }) => settlementOf(run, { type: 'complete', at: now }));
    await broker.exchange({ settle });
    await passTime(20);
    await user().change('-ltrim');

    const found = await broker.findExpired(10);

    expect(found.map(({ id }) => id)).toEqual(['expired']);
    expect(errors).toMatchObject([{ code: 'FORGETTING_FAILED', message: expect.stringContaining('ltrim') }]);
    await user().change('+ltrim');
    await broker.findExpired(10);
    expect([errors.length, (await broker.get(['ended']))[0]]).toEqual([1, undefined]);
  });
});
