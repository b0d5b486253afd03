import type { Run } from '@retry/core/broker';
import { discardRuns, endRuns, redriveRuns } from '@retry/core/broker/kit';
import type { RedisClientType } from 'redis';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useScene } from '../support/broker-scene.ts';
import type { RedisHarness } from '../support/redis-harness.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { settlementOf } from '../support/settle.ts';

describeOnRedis('stacks on Redis', (server) => {
  let harness: RedisHarness | undefined;
  const scene = useScene(async () => {
    harness = await openRedisHarness(server().url, { keepCompleted: { count: 1 } });
    return harness;
  });
  let client: RedisClientType;
  beforeAll(async () => {
    client = createClient({ url: server().url });
    await client.connect();
  });
  afterAll(() => client.close());
  const keptFor = (): Promise<string[]> => client.hKeys(`{${harness?.prefix}:0}:stacks`);

  it('are kept only for runs whose latest error has one', async () => {
    await scene.submit('renewed', 'plain', 'redriven', 'discarded', 'forgotten', 'kept');
    const at = await scene.now();
    const errorOf = ({ id, epoch }: Run) => ({ epoch, at, name: 'Error', message: '', stack: `at ${id}` });
    const claimed = await scene.claim();
    const fail = ({ run }: { readonly run: Run }) => {
      const isRetried = ['renewed', 'plain', 'forgotten'].includes(run.id);
      const event = isRetried ? ({ type: 'retry', at, runAt: at } as const) : ({ type: 'fail', at } as const);
      return settlementOf(run, event, { errors: [errorOf(run)] });
    };
    await scene.settle(...claimed.map(fail));
    expect((await keptFor()).sort()).toEqual(claimed.map(({ run }) => run.id).sort());

    const again = new Map((await scene.claim()).map(({ run }) => [run.id, run]));
    const settle = async (id: string, end: (run: Run) => ReturnType<typeof settlementOf>) => {
      const run = again.get(id);
      if (run !== undefined) await scene.settle(end(run));
    };
    const thrown = { epoch: 2, at, name: 'string', message: 'no' };
    await settle('renewed', (run) => settlementOf(run, { type: 'fail', at }, { errors: [errorOf(run)] }));
    await settle('plain', (run) => settlementOf(run, { type: 'fail', at }, { errors: [thrown] }));
    await settle('forgotten', (run) => settlementOf(run, { type: 'complete', at }));
    await redriveRuns(scene.broker, ['redriven']);
    await discardRuns(scene.broker, ['discarded']);
    const last = await scene.start('last');
    await scene.settle(settlementOf(last, { type: 'complete', at }));

    expect((await keptFor()).sort()).toEqual(['kept', 'renewed']);
  });

  it('are those of the latest error after an end by hand, too', async () => {
    await scene.submit('with', 'without', 'completed');
    const at = await scene.now();
    const retry = ({ run }: { readonly run: Run }) =>
      settlementOf(
        run,
        { type: 'retry', at, runAt: at },
        { errors: [{ epoch: 1, at, name: 'Error', message: '', stack: 'at work' }] },
      );
    await scene.settle(...(await scene.claim()).map(retry));

    await endRuns(scene.broker, [
      { id: 'with', as: 'failed', error: { name: 'E', message: '', stack: 'at desk' } },
      { id: 'without', as: 'failed', error: { name: 'E', message: '' } },
      { id: 'completed', as: 'completed', result: '1' },
    ]);

    expect((await keptFor()).sort()).toEqual(['completed', 'with']);
    const found = await scene.broker.get(['with', 'without', 'completed']);
    expect(found.map((run) => run?.errors.map(({ stack }) => stack))).toEqual([
      [undefined, 'at desk'],
      [undefined, undefined],
      ['at work'],
    ]);
  });
});
