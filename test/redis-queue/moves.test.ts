import type { Run, Settlement } from '@retry/core/broker';
import { cancelRuns, discardRuns } from '@retry/core/broker/kit';
import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { LONG_MS, useScene } from '../support/broker-scene.ts';
import type { RedisHarness } from '../support/redis-harness.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { settlementOf } from '../support/settle.ts';

describeOnRedis('retries and later completions that are settled together on Redis', (server) => {
  let harness: RedisHarness;
  const scene = useScene(async () => {
    harness = await openRedisHarness(server().url);
    return harness;
  });

  const claimAll = async (...ids: readonly string[]): Promise<Map<string, Run<'started'>>> => {
    const claimed = new Map((await scene.claim()).map(({ run }) => [run.id, run]));
    expect([...claimed.keys()]).toEqual(ids);
    return claimed;
  };
  const runIn = (runs: ReadonlyMap<string, Run<'started'>>, id: string): Run<'started'> => {
    const run = runs.get(id);
    if (run === undefined) throw new Error(`${id} was not claimed`);
    return run;
  };
  const failed = (run: Run<'started'>, at: number, stack?: string): Settlement => {
    const error = {
      epoch: run.epoch,
      at,
      name: 'Error',
      message: 'no',
      ...(stack !== undefined && { stack }),
    };
    const errors = [...run.errors.map(({ stack: _, ...kept }) => kept), error];
    return settlementOf({ ...run, errors }, { type: 'retry', at, runAt: at });
  };
  const completed = (run: Run<'started'>, at: number): Settlement =>
    settlementOf(run, { type: 'complete', at }, { result: '"ü"' });

  it('go to the back of their lane in their order, and keep counters, errors and instants', async () => {
    await scene.submit('a', 'b', 'c', 'd');
    const first = await claimAll('a', 'b', 'c', 'd');
    const at = await scene.now();
    const settle = [...first.values()].map((run) => failed(run, at));

    expect(await scene.settle(...settle)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(await scene.read('b')).toEqual({ ...settle[1]?.next, settledBy: '1:retry' });

    const second = await claimAll('a', 'b', 'c', 'd');
    expect(runIn(second, 'b')).toMatchObject({ state: 'started', epoch: 2, failures: 1, stalls: 0 });
    expect(runIn(second, 'b').errors).toEqual(settle[1]?.next.errors);
    expect(runIn(second, 'b').firstStartedAt).toBe(runIn(first, 'b').firstStartedAt);
    const end = await scene.now();
    const [b, d] = [runIn(second, 'b'), runIn(second, 'd')];

    expect(await scene.settle(completed(d, end), failed(b, end))).toEqual(['ok', 'ok']);
    expect(await scene.settle(completed(d, end), failed(b, end))).toEqual(['already', 'already']);
    expect(await scene.read('d')).toMatchObject({
      state: 'completed',
      epoch: 2,
      result: '"ü"',
      endedAt: end,
    });
    expect(await scene.claimIds()).toEqual(['b']);
    expect(await scene.broker.audit()).toMatchObject({ ended: { completed: 1 }, started: 3, unbalanced: 0 });
  });

  it('are claimed again by the exchange that settles them', async () => {
    await scene.submit('a', 'b');
    const runs = await claimAll('a', 'b');
    const at = await scene.now();
    const claim = {
      worker: 'w',
      requestId: 'again',
      limit: 9,
      lanes: new Map([[runIn(runs, 'a').lane, 9]]),
      leaseMs: LONG_MS,
    };

    const settle = [failed(runIn(runs, 'b'), at), failed(runIn(runs, 'a'), at)];
    const reply = await scene.broker.exchange({ settle, claim });

    expect(reply.settled).toEqual(['ok', 'ok']);
    expect(reply.claimed.map(({ run }) => [run.id, run.epoch, run.failures])).toEqual([
      ['b', 2, 1],
      ['a', 2, 1],
    ]);
    expect((await scene.broker.exchange({ claim })).claimed.map(({ run }) => run)).toEqual(
      reply.claimed.map(({ run }) => run),
    );
  });

  it('start again beside runs with more to start, whatever lane they are in', async () => {
    const concurrency = { key: 'k', limit: 9, whenFull: 'wait' } as const;
    const ids = ['a', 'keyed', 'b', 'c'];
    const lanes = ['one', 'one', 'two', 'two'];
    await scene.broker.submit(
      ids.map((id, index) => ({
        id,
        lane: lanes[index] ?? '',
        payload: '1',
        ...(id === 'keyed' && { concurrency }),
      })),
    );
    const claimOf = (requestId: string) => ({
      worker: 'w',
      requestId,
      limit: 9,
      lanes: new Map([
        ['one', 9],
        ['two', 9],
      ]),
      leaseMs: LONG_MS,
    });
    const { claimed } = await scene.broker.exchange({ claim: claimOf('first') });
    const at = await scene.now();
    await scene.settle(...claimed.map(({ run }) => failed(run, at)));

    const again = await scene.broker.exchange({ claim: claimOf('again') });

    expect(again.claimed.map(({ run }) => [run.id, run.epoch, run.failures])).toEqual(
      ids.map((id) => [id, 2, 1]),
    );
  });

  it('are answered one by one where some of them are not accepted, or have more to move', async () => {
    await scene.submit('fenced', 'gone', 'asked', 'stack', 'plain');
    const runs = await claimAll('fenced', 'gone', 'asked', 'stack', 'plain');
    const at = await scene.now();
    await cancelRuns(scene.broker, ['asked']);
    await scene.settle(settlementOf(runIn(runs, 'gone'), { type: 'fail', at }));
    await discardRuns(scene.broker, ['gone']);
    await scene.settle(failed(runIn(runs, 'fenced'), at), failed(runIn(runs, 'stack'), at, 'at x'));
    const again = await claimAll('fenced', 'stack');
    expect(runIn(again, 'stack').errors[0]?.stack).toBe('at x');
    const later = { ...runIn(runs, 'fenced'), failures: 7 };

    const answers = await scene.settle(
      failed(later, at + 1),
      failed(runIn(runs, 'gone'), at),
      failed(runIn(runs, 'asked'), at),
      failed(runIn(again, 'stack'), at),
      failed(runIn(runs, 'plain'), at),
    );

    expect(answers).toEqual(['already', 'gone', 'ok', 'ok', 'ok']);
    expect((await scene.read('asked')).state).toBe('cancelled');
    const third = await claimAll('stack', 'plain');
    expect(runIn(third, 'stack').errors.map(({ stack }) => stack)).toEqual([undefined, undefined]);
    expect(await scene.settle(failed(runIn(runs, 'stack'), at), failed(runIn(third, 'plain'), at))).toEqual([
      'fenced',
      'ok',
    ]);
    expect(await scene.broker.audit()).toMatchObject({ unbalanced: 0 });
  });

  it('are not settled together with a claim from a lane whose key another program uses', async () => {
    await scene.submit('a', 'b');
    const runs = await claimAll('a', 'b');
    const at = await scene.now();
    const client = await createClient({ url: server().url }).connect();
    await client.set(`{${harness.prefix}:0}:lane:taken`, 'of another program');
    const claim = { worker: 'w', requestId: 'r', limit: 9, lanes: new Map([['taken', 9]]), leaseMs: LONG_MS };
    const settle = [...runs.values()].map((run) => failed(run, at));

    await expect(scene.broker.exchange({ settle, claim })).rejects.toThrow('WRONGTYPE');

    expect((await scene.read('a')).state).toBe('started');
    expect(await scene.settle(...settle)).toEqual(['ok', 'ok']);
    await client.del(`{${harness.prefix}:0}:lane:taken`);
    await client.close();
    await claimAll('a', 'b');
  });
});
