import { expect, it } from 'vitest';
import { finishedScript } from '../../packages/redis-queue/src/scripts/lua-code.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { settlementOf } from '../support/settle.ts';
import { openWatched } from './watched-broker.ts';

describeOnPrivateRedis('list on Redis', () => {
  it('looks for dead letters among the finished runs only when some are disposable', async () => {
    const server = await startPrivateRedis();
    const { broker, sent, close } = await openWatched(server.url);
    await broker.submit(['dead', 'disposable'].map((id) => ({ id, lane: 'l', payload: '1' })));
    const lanes = new Map([['l', 9]]);
    const { claimed, now } = await broker.exchange({
      claim: { worker: 'w', requestId: 'r', limit: 9, lanes, leaseMs: 60_000 },
    });
    const fail = async (index: number, isDisposable?: true) => {
      const { run } = claimed[index] ?? {};
      if (run === undefined) throw new Error('too few were claimed');
      const ended = { ...run, ...(isDisposable && { isDisposable }) };
      await broker.exchange({ settle: [settlementOf(ended, { type: 'fail', at: now })] });
    };
    const list = async () => (await broker.list({ state: 'failed', limit: 9 })).runs.map(({ id }) => id);

    await fail(0);
    expect(await list()).toEqual(['dead']);
    expect(sent.map(([, script]) => script)).not.toContain(finishedScript.hash);

    await fail(1, true);
    expect(await list()).toEqual(['dead', 'disposable']);
    expect(sent.map(([, script]) => script)).toContain(finishedScript.hash);
    await close();
    await server.stop();
  });

  it('looks for a rare state among many dead letters in few steps, however short the page', async () => {
    const server = await startPrivateRedis();
    const { broker, sent, close } = await openWatched(server.url);
    const ids = Array.from({ length: 600 }, (_, index) => `run-${index}`);
    await broker.submit(ids.map((id) => ({ id, lane: 'l', payload: '1' })));
    const lanes = new Map([['l', 600]]);
    const { claimed, now } = await broker.exchange({
      claim: { worker: 'w', requestId: 'r', limit: 600, lanes, leaseMs: 60_000 },
    });
    await broker.exchange({
      settle: claimed.map(({ run }) => settlementOf(run, { type: 'fail', at: now })),
    });
    sent.length = 0;

    const page = await broker.list({ state: 'stalled', limit: 1, payloads: 'omit' });

    expect(page).toEqual({ runs: [] });
    expect(sent.length).toBeLessThan(30);
    await close();
    await server.stop();
  });
});
