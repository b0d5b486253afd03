import type { Broker, Run } from '@retry/core/broker';
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

  it('shows each started run once while leases are renewed and more runs start', async () => {
    await withStarted(200, async ({ broker, claim }) => {
      const first = await claim(120);
      const seen: string[] = [];
      await eachPage(broker, async (ids) => {
        seen.push(...ids);
        const leases = first.map(({ id, epoch }) => ({ id, epoch }));
        // From 128 members on the server keeps a sorted set in another order.
        if (seen.length <= 10) await claim(80);
        await broker.heartbeat(leases, 60_000 + seen.length);
      });

      const ofFirst = seen.filter((id) => first.some((run) => run.id === id)).sort();
      expect(ofFirst).toEqual(first.map(({ id }) => id).sort());
      expect(new Set(seen).size).toBe(seen.length);
    });
  });

  it('shows each started run that stays, while most of them end between its pages', async () => {
    await withStarted(1_000, async ({ broker, claim, complete }) => {
      const runs = await claim(1_000);
      const stays = (id: string): boolean => id.endsWith('00');
      const seen: string[] = [];
      await eachPage(broker, async (ids) => {
        seen.push(...ids);
        if (seen.length <= 20) await complete(runs.filter(({ id }) => !stays(id)));
      });

      expect([...new Set(seen)].filter(stays)).toHaveLength(10);
    });
  });
});

interface Scene {
  readonly broker: Broker;
  readonly claim: (limit: number) => Promise<readonly Run[]>;
  readonly complete: (runs: readonly Run[]) => Promise<void>;
}

/** Submits runs to a queue of its own. */
async function withStarted(count: number, use: (scene: Scene) => Promise<void>): Promise<void> {
  const server = await startPrivateRedis();
  const { broker, close } = await openWatched(server.url);
  await broker.submit(
    Array.from({ length: count }, (_, index) => ({ id: `run-${index + 1}`, lane: 'l', payload: '1' })),
  );
  const claim = async (limit: number) => {
    const lanes = new Map([['l', limit]]);
    const request = { worker: 'w', requestId: `r-${limit}`, limit, lanes, leaseMs: 60_000 };
    return (await broker.exchange({ claim: request })).claimed.map(({ run }) => run);
  };
  const complete = async (runs: readonly Run[]) => {
    const { now: at } = await broker.exchange({});
    await broker.exchange({ settle: runs.map((run) => settlementOf(run, { type: 'complete', at })) });
  };
  await use({ broker, claim, complete });
  await close();
  await server.stop();
}

/** Reads the started runs in pages of ten. */
async function eachPage(broker: Broker, read: (ids: readonly string[]) => Promise<void>): Promise<void> {
  let after: string | undefined;
  for (let pages = 0; pages === 0 || after !== undefined; pages += 1) {
    if (pages > 200) throw new Error('the list has no last page');
    const page = await broker.list({ state: 'started', limit: 10, ...(after !== undefined && { after }) });
    await read(page.runs.map(({ id }) => id));
    after = page.next;
  }
}
