import { createQueue } from '@retry/worker';
import { expect, it } from 'vitest';
import { openRedisHarness } from '../support/redis-harness.ts';
import { describeOnPrivateRedis, describeOnRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { settlementOf } from '../support/settle.ts';

const MIB = 2 ** 20;

describeOnPrivateRedis('a Redis server of 64 MB', () => {
  it('is found to be nearly full before it refuses submits', async () => {
    const server = await startPrivateRedis(['--maxmemory', '64mb']);
    const { broker, close } = await openRedisHarness(server.url, {});
    const queue = createQueue({ broker });
    const payload = JSON.stringify('x'.repeat(900_000));
    const die = async (id: string): Promise<void> => {
      await broker.submit([{ id, lane: 'l', payload }]);
      const claim = { worker: 'w', requestId: id, limit: 1, lanes: new Map([['l', 1]]), leaseMs: 60_000 };
      const { claimed, now } = await broker.exchange({ claim });
      await broker.exchange({
        settle: claimed.map(({ run }) => settlementOf(run, { type: 'fail', at: now })),
      });
    };

    const before = await queue.health();
    let dead = 0;
    for (let isFull = false; !isFull && dead < 100; ) {
      await die(`${dead}`);
      dead += 1;
      isFull = (await queue.health()).findings.some(({ code }) => code === 'MEMORY_NEARLY_FULL');
    }
    const { findings, figures } = await queue.health();
    await die('one more');

    expect(before.figures.memoryShare).toBeLessThan(0.5);
    expect(figures.memoryShare).toBeGreaterThan(0.75);
    expect(figures.memoryShare).toBeLessThan(0.8);
    const [found] = findings.filter(({ code }) => code === 'MEMORY_NEARLY_FULL');
    expect(found).toMatchObject({ level: 'warning', threshold: 0.75, memory: { maxBytes: 64 * MIB } });
    expect(found?.sentence).toMatch(
      /^The server uses 7\d(\.\d)? % of its memory \(\d+ MiB of 64 MiB, about \d+ MiB of them of/,
    );
    // Almost all of what the server uses is what these runs were submitted with.
    const own = found?.memory?.ownBytes ?? 0;
    expect(own / (dead * payload.length)).toBeGreaterThan(0.9);
    expect(own / (found?.memory?.usedBytes ?? 1)).toBeLessThan(1);
    await close();
    await server.stop();
  });
});

describeOnRedis('a Redis server without maxmemory', (server) => {
  it('has no share of its memory', async () => {
    const { broker, close } = await openRedisHarness(server().url, {});

    const { figures } = await createQueue({ broker }).health();

    expect(figures.memoryShare).toBeUndefined();
    await close();
  });
});
