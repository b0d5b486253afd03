import type { Broker, ClaimedRun } from '@retry/core/broker';
import { cancelRuns } from '@retry/core/broker/kit';
import { createClient } from 'redis';
import { expect, it } from 'vitest';
import type { RedisHarness } from '../support/redis-harness.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { settlementOf } from '../support/settle.ts';

const BATCH = 1_000;
const KEEP = 500;

/** The bytes of each key of a queue, by its name; all lanes together. */
async function sizes(url: string, { prefix }: RedisHarness): Promise<ReadonlyMap<string, number>> {
  const client = await createClient({ url }).connect();
  const found = new Map<string, number>();
  for await (const keys of client.scanIterator({ MATCH: `{${prefix}:*`, COUNT: 1_000 })) {
    for (const key of keys) {
      const name = key.slice(key.indexOf('}:') + 2).replace(/^lane:.*/, 'lane');
      const bytes = await client.memoryUsage(key, { SAMPLES: 0 });
      found.set(name, (found.get(name) ?? 0) + (bytes ?? 0));
    }
  }
  await client.close();
  return found;
}

/**
 * One batch of traffic of every kind: most complete, a few are retried, released, cancelled in the middle of a lane that
 * no worker takes, submitted under names, waited for. Only `keepCompleted` of these runs are kept.
 */
async function pass(broker: Broker, round: number): Promise<void> {
  const lane = `work@${round}`;
  const ids = Array.from({ length: BATCH }, (_, index) => `${round}-${index}`);
  const payload = JSON.stringify('x'.repeat(100));
  await broker.submit(
    ids.map((id, index) => ({
      ...{ id, lane, payload: index % 100 === 0 ? JSON.stringify('x'.repeat(5_000)) : payload },
      ...(index % 10 === 0 && { keyed: true }),
      ...(index % 7 === 0 && { keepResultMs: 60_000 }),
      ...(index % 5 === 0 && {
        concurrency: { key: `k${round}-${index % 50}`, limit: 2, whenFull: 'wait' as const },
      }),
    })),
  );
  const abandoned = Array.from({ length: 200 }, (_, index) => ({
    id: `c${round}-${index}`,
    lane: 'unattended',
    payload,
  }));
  await broker.submit(abandoned);
  await cancelRuns(
    broker,
    abandoned.map(({ id }) => id),
  );
  for (let step = 0; ; step += 1) {
    const claim = {
      worker: `w${round % 3}`,
      requestId: `${round}-${step}`,
      limit: BATCH,
      lanes: new Map([[lane, BATCH]]),
      leaseMs: 60_000,
    };
    const { claimed, now } = await broker.exchange({ claim });
    if (claimed.length === 0) break;
    await broker.exchange({ settle: claimed.map((one, index) => settle(one, index, now)) });
  }
  await broker.get(ids, { collect: true });
  await broker.attend({ worker: `w${round}`, lanes: ['work'], ttlMs: 1 });
}

function settle({ run }: ClaimedRun, index: number, at: number) {
  const isNew = run.failures + run.releases === 0;
  if (isNew && index % 50 === 1) return settlementOf(run, { type: 'retry', at, runAt: at });
  if (isNew && index % 50 === 2) return settlementOf(run, { type: 'release', at });
  return settlementOf(
    run,
    { type: 'complete', at },
    { result: JSON.stringify('y'.repeat(index % 97 === 0 ? 5_000 : 20)) },
  );
}

describeOnRedis('what a Redis broker keeps', (server) => {
  it('does not grow with the number of runs that have passed', async () => {
    const harness = await openRedisHarness(server().url, { keepCompleted: { count: KEEP }, keepKeys: 1 });
    const { broker } = harness;
    // What is kept all the time: dead letters, runs scheduled far ahead, stalled runs on hold, and a run that no worker takes.
    const kept = Array.from({ length: 300 }, (_, index) => ({
      id: `kept-${index}`,
      lane: 'kept',
      payload: '1',
    }));
    await broker.submit(kept);
    await broker.submit([{ id: 'head', lane: 'unattended', payload: '1' }]);
    await broker.submit(
      kept.map(({ id }) => ({ id: `far-${id}`, lane: 'kept', payload: '1', delayMs: 1e9 })),
    );
    const lanes = new Map([['kept', 300]]);
    const { claimed, now: at } = await broker.exchange({
      claim: { worker: 'k', requestId: 'k', limit: 300, lanes, leaseMs: 60_000 },
    });
    await broker.exchange({
      settle: claimed.map(({ run }, index) =>
        settlementOf(run, { type: index % 2 === 0 ? 'fail' : 'stall', at }),
      ),
    });
    for (let round = 0; round < 8; round += 1) await pass(broker, round);
    const early = await sizes(server().url, harness);

    for (let round = 8; round < 40; round += 1) await pass(broker, round);

    const late = await sizes(server().url, harness);
    const grown = [...late].filter(([name, bytes]) => bytes > (early.get(name) ?? 0) * 1.5 + 32_768);
    expect(grown).toEqual([]);
    expect([...late.keys()].filter((name) => !early.has(name))).toEqual([]);
    expect(await broker.audit()).toMatchObject({ created: 40 * (BATCH + 200) + 601, unbalanced: 0 });
    await harness.close();
  });
});
