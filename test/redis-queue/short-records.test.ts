import { cancelRuns, discardRuns } from '@retry/core/broker/kit';
import { expect, it } from 'vitest';
import { LONG_MS, PASS_MS, SHORT_MS, useScene } from '../support/broker-scene.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { settlementOf } from '../support/settle.ts';

describeOnRedis('short records of first starts and their completions on Redis', (server) => {
  const scene = useScene(() => openRedisHarness(server().url));

  it('are read and listed with every instant', async () => {
    const claimed = await scene.start({ id: 'a', payload: '[7]' });
    await scene.advance(5);
    await scene.broker.heartbeat([{ id: 'a', epoch: 1 }], LONG_MS);
    const started = await scene.read('a');
    expect(started).toEqual({ ...claimed, heartbeatAt: started.heartbeatAt });
    expect(started.heartbeatAt).toBeGreaterThan(claimed.firstStartedAt ?? Infinity);
    expect((await scene.broker.list({ state: 'started', limit: 9 })).runs).toEqual([started]);

    const at = await scene.now();
    const settlement = settlementOf(started, { type: 'complete', at }, { result: '"\\u0000 ü"' });
    await scene.settle(settlement);

    const completed = await scene.read('a');
    expect(completed).toEqual({ ...settlement.next, settledBy: '1:complete' });
    expect(completed).toMatchObject({ endedAt: at, heartbeatAt: started.heartbeatAt });
    expect((await scene.broker.list({ state: 'completed', limit: 9 })).runs).toEqual([completed]);
  });

  it('keep a cancel request, which a completion ignores and a retry obeys', async () => {
    const runs = [await scene.start('completes'), await scene.start('retries')] as const;
    await cancelRuns(scene.broker, ['completes', 'retries']);
    const asked = await scene.read('completes');
    const at = await scene.now();

    const answers = await scene.settle(
      settlementOf(runs[0], { type: 'complete', at }),
      settlementOf(runs[1], { type: 'retry', at, runAt: at }),
    );

    expect(asked).toEqual({ ...runs[0], isCancelRequested: true });
    expect(answers).toEqual(['ok', 'ok']);
    expect(await scene.read('completes')).toMatchObject({
      state: 'completed',
      startedAt: asked.firstStartedAt,
    });
    expect((await scene.read('completes')).isCancelRequested).toBeUndefined();
    expect((await scene.read('retries')).state).toBe('cancelled');
  });

  it('are not completed by a cleaner before their leases expire', async () => {
    const run = await scene.start('a');
    const completion = settlementOf(
      run,
      { type: 'complete', at: await scene.now() },
      { onlyIfExpired: true },
    );

    expect(await scene.settle(completion)).toEqual(['fenced']);
    expect(await scene.read('a')).toEqual(run);
  });

  it('are found when their leases expire, and fenced once a cleaner has recovered them', async () => {
    const zombie = await scene.start('a', { leaseMs: SHORT_MS });
    await scene.advance(PASS_MS);
    const found = await scene.broker.findExpired(9);
    const at = await scene.now();
    const recover = [{ type: 'stall', at } as const, { type: 'recover', at, runAt: at } as const];
    await scene.settle(settlementOf(zombie, recover, { onlyIfExpired: true }));
    const [current] = await scene.claim();
    const other = await scene.start('b');

    const late = await scene.settle(
      settlementOf(other, { type: 'complete', at }),
      settlementOf(zombie, { type: 'complete', at }),
    );

    expect(found).toEqual([{ ...zombie, payload: '' }]);
    expect(late).toEqual(['ok', 'fenced']);
    expect(await scene.read('a')).toEqual(current?.run);
  });

  it('are answered in the order of the settlements, among settlements of other kinds', async () => {
    const keyed = { key: 'k', limit: 1, whenFull: 'wait' } as const;
    await scene.submit('a', 'b', 'gone', { id: 'c', concurrency: keyed }, { id: 'd', concurrency: keyed });
    const runs = new Map((await scene.claim()).map(({ run }) => [run.id, run]));
    const at = await scene.now();
    const end = (id: string, type: 'complete' | 'fail') => {
      const run = runs.get(id);
      if (run === undefined) throw new Error(`${id} was not started`);
      return settlementOf(run, { type, at });
    };
    await scene.settle(end('gone', 'fail'));
    await discardRuns(scene.broker, ['gone']);

    const answers = await scene.settle(
      end('a', 'fail'),
      end('b', 'complete'),
      end('gone', 'complete'),
      end('a', 'complete'),
      end('c', 'complete'),
      end('b', 'fail'),
      end('b', 'complete'),
    );

    expect(answers).toEqual(['ok', 'ok', 'gone', 'fenced', 'ok', 'fenced', 'already']);
    expect((await scene.broker.get(['a', 'b', 'c'])).map((run) => run?.state)).toEqual([
      'failed',
      'completed',
      'completed',
    ]);
    expect(await scene.claimIds()).toEqual(['d']);
  });

  it('are counted once when one call completes them twice', async () => {
    const settlement = settlementOf(await scene.start('a'), { type: 'complete', at: await scene.now() });

    const answers = await scene.settle(settlement, settlement);

    expect(answers).toEqual(['ok', 'already']);
    expect(await scene.broker.audit()).toMatchObject({ ended: { completed: 1 }, unbalanced: 0 });
  });
});
