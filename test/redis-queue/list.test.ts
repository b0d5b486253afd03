import { createClient } from 'redis';
import { expect, it } from 'vitest';
import { finishedScript } from '../../packages/redis-queue/src/scripts/lua-code.ts';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { settlementOf } from '../support/settle.ts';

describeOnPrivateRedis('list on Redis', () => {
  it('looks for dead letters among the finished runs only when some are disposable', async () => {
    const server = await startPrivateRedis();
    const real = await createClient({ url: server.url }).connect();
    const sent: unknown[] = [];
    const client = {
      sendCommand: (args: readonly (string | Buffer)[]) => {
        sent.push(args[1]);
        return real.sendCommand(args);
      },
      duplicate: () => real.duplicate(),
    };
    const broker = await openRedisBroker({ client });
    await broker.submit(['dead', 'disposable'].map((id) => ({ id, lane: 'l', payload: '1' })));
    const lanes = new Map([['l', 9]]);
    const { claimed, now } = await broker.settleAndClaim({
      claim: { worker: 'w', requestId: 'r', limit: 9, lanes, leaseMs: 60_000 },
    });
    const fail = async (index: number, isDisposable?: true) => {
      const { run } = claimed[index] ?? {};
      if (run === undefined) throw new Error('too few were claimed');
      const ended = { ...run, ...(isDisposable && { isDisposable }) };
      await broker.settleAndClaim({ settle: [settlementOf(ended, { type: 'fail', at: now })] });
    };
    const list = async () => (await broker.list({ state: 'failed', limit: 9 })).runs.map(({ id }) => id);

    await fail(0);
    expect(await list()).toEqual(['dead']);
    expect(sent).not.toContain(finishedScript.hash);

    await fail(1, true);
    expect(await list()).toEqual(['dead', 'disposable']);
    expect(sent).toContain(finishedScript.hash);
    await broker.close();
    await real.close();
    await server.stop();
  });
});
