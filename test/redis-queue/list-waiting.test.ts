import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';

describeOnPrivateRedis('a list of waiting runs on Redis', () => {
  const open = async () => {
    const server = await startPrivateRedis();
    const real = await createClient({ url: server.url }).connect();
    const sent: string[] = [];
    let before: (command: string) => Promise<void> = async () => {};
    const client = {
      sendCommand: async (args: readonly (string | Buffer)[]) => {
        sent.push(String(args[0]));
        await before(String(args[0]));
        return real.sendCommand(args);
      },
      duplicate: () => real.duplicate(),
    };
    const broker = await openRedisBroker({ client });
    const close = async (): Promise<void> => {
      await broker.close();
      await real.close();
      await server.stop();
    };
    const doBefore = (next: typeof before): void => {
      before = next;
    };
    return { broker, sent, doBefore, close };
  };
  const idsOf = (name: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${name}-${String(index).padStart(5, '0')}`);
  const submission = (id: string) => ({ id, lane: 'l', payload: '1' });

  it('misses no run that stays while others are claimed from the head of the lane', {
    timeout: 60_000,
  }, async () => {
    const { broker, doBefore, close } = await open();
    // The page begins just before the end of what is read first: what is missed then is missed on the page.
    const stay = idsOf('a', 4_000);
    await broker.submit([...idsOf('z', 2_450), ...stay].map(submission));
    let reads = 0;
    doBefore(async (command) => {
      if (command !== 'LRANGE') return;
      reads += 1;
      if (reads !== 2 && reads !== 3) return;
      const lanes = new Map([['l', 1_000]]);
      const requestId = `${reads}`;
      await broker.settleAndClaim({
        claim: { worker: 'w', requestId, limit: 1_000, lanes, leaseMs: 60_000 },
      });
    });

    const page = await broker.list({ state: 'submitted', limit: 1_000, payloads: 'omit' });
    await close();

    expect(page.map(({ id }) => id)).toEqual(stay.slice(0, 1_000));
  });

  it('reads each lane once, even beside many runs that were cancelled in it', {
    timeout: 60_000,
  }, async () => {
    const { broker, sent, close } = await open();
    const ids = idsOf('a', 3_000);
    await broker.submit(ids.map(submission));
    await broker.cancel(ids.slice(0, 900));
    sent.length = 0;

    const first = await broker.list({ state: 'submitted', limit: 10 });
    const after = first.at(-1)?.id ?? '';
    const second = await broker.list({ state: 'submitted', limit: 10, lane: 'l', after });
    const reads = sent.filter((command) => command === 'LRANGE').length;
    await close();

    expect([...first, ...second].map(({ id }) => id)).toEqual(ids.slice(900, 920));
    expect(reads).toBeLessThanOrEqual(6);
  });
});
