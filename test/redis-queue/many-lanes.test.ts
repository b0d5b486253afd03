import { expect, it } from 'vitest';
import { SHORT_MS, useScene } from '../support/broker-scene.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { settlementOf } from '../support/settle.ts';

const LANES = Array.from({ length: 100 }, (_, index) => `lane-${index}`);

describeOnRedis('claims from many lanes on Redis', (server) => {
  const scene = useScene(() => openRedisHarness(server().url));

  it('claim every run once, and answer that there is nothing only when all lanes are empty', async () => {
    const submitted: string[] = [];
    const seen: string[] = [];
    const submit = async (...lanes: readonly string[]): Promise<void> => {
      const runs = lanes.map((lane) => ({ id: `${lane} ${submitted.length}-${lane}`, lane, payload: '1' }));
      const own = runs.map((run, index) => ({ ...run, id: `${run.id}-${index}` }));
      submitted.push(...own.map(({ id }) => id));
      await scene.broker.submit(own);
    };
    const claim = async (limit: number): Promise<number> => {
      const request = { worker: 'w', requestId: `r${Math.random()}`, limit, leaseMs: 60_000 };
      const lanes = new Map(LANES.map((lane) => [lane, limit]));
      const { claimed } = await scene.broker.exchange({ claim: { ...request, lanes } });
      seen.push(...claimed.map(({ run }) => run.id));
      return claimed.length;
    };
    await submit(...LANES.slice(50), ...LANES.slice(90), ...LANES.slice(95));
    for (let count = 0; count < 4; count += 1) await claim(10);
    await submit('lane-0', 'lane-1', 'lane-99');
    while ((await claim(10)) > 0);
    await submit(...Array.from({ length: 20 }, () => 'lane-50'));
    for (let count = 0; count < 2; count += 1) await claim(10);
    await submit('lane-0');
    expect(await claim(10)).toBe(1);

    while ((await claim(10)) > 0);

    expect([...seen].sort()).toEqual([...submitted].sort());
    expect(await scene.broker.audit()).toMatchObject({
      submitted: 0,
      started: submitted.length,
      unbalanced: 0,
    });
  });
});

describeOnRedis('a wait for work in many lanes on Redis', (server) => {
  const scene = useScene(() => openRedisHarness(server().url));
  const waitMs = async (lanes: readonly string[], timeoutMs: number): Promise<number> => {
    const startedAt = performance.now();
    await scene.broker.wait({ lanes: lanes, timeoutMs });
    return performance.now() - startedAt;
  };

  it.each([
    ['that waits in the list of the last lane', 'list'],
    ['that was released to the front of the last lane', 'front'],
    ['of the last lane that is due', 'scheduled'],
  ])('ends immediately for a run %s, and only in its lane', async (_, location) => {
    const submission = { id: 'a', lane: 'lane-99' };
    if (location === 'list') await scene.submit(submission);
    if (location === 'front') {
      const run = await scene.start(submission, { lanes: ['lane-99'] });
      await scene.settle(settlementOf(run, { type: 'release', at: await scene.now() }));
    }
    if (location === 'scheduled') {
      await scene.submit({ ...submission, delayMs: SHORT_MS });
      await scene.advance(SHORT_MS);
    }

    expect(await waitMs(LANES, 60_000)).toBeLessThan(30_000);
    expect(await waitMs(LANES.slice(0, -1), 50)).toBeGreaterThanOrEqual(45);
  });
});
