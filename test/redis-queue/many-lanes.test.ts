import { expect, it } from 'vitest';
import { useScene } from '../support/broker-scene.ts';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnRedis } from '../support/servers/describe-on-redis.ts';

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
      const { claimed } = await scene.broker.settleAndClaim({ claim: { ...request, lanes } });
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
