import type { Broker, ListQuery } from '@retry/core/broker';
import { cancelRuns, discardRuns } from '@retry/core/broker/kit';
import { expect, it } from 'vitest';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import { startPrivateRedis } from '../support/servers/redis.ts';
import { openWatched } from './watched-broker.ts';

describeOnPrivateRedis('a list of waiting runs on Redis', () => {
  const open = async () => {
    const server = await startPrivateRedis();
    const { broker, sent, close: closeBroker } = await openWatched(server.url);
    const close = async (): Promise<void> => {
      await closeBroker();
      await server.stop();
    };
    return { broker, sent, close };
  };
  const idsOf = (name: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => `${name}-${String(index).padStart(5, '0')}`);
  const submission = (id: string) => ({ id, lane: 'l', payload: '1' });
  const claim = async (broker: Broker, requestId: string, limit: number): Promise<void> => {
    const lanes = new Map([['l', limit]]);
    await broker.exchange({ claim: { worker: 'w', requestId, limit, lanes, leaseMs: 60_000 } });
  };
  const listAll = async (
    broker: Broker,
    limit: number,
    between: (turn: number) => Promise<void>,
  ): Promise<readonly string[]> => {
    const query: ListQuery = { state: 'submitted', limit, payloads: 'omit' };
    const seen: string[] = [];
    for (let turn = 1, after: string | undefined; ; turn += 1) {
      const { runs, next } = await broker.list(after === undefined ? query : { ...query, after });
      seen.push(...runs.map(({ id }) => id));
      if (next === undefined) return seen;
      await between(turn);
      after = next;
    }
  };

  it('shows each run that stays once while others are claimed from the head of the lane', async () => {
    const { broker, close } = await open();
    const ids = idsOf('a', 6_000);
    await broker.submit(ids.map(submission));

    // The first claims stay behind the pages; then one overtakes them.
    const seen = await listAll(broker, 1_000, async (turn) => {
      if (turn < 3) await claim(broker, `${turn}`, 400);
      if (turn === 3) await claim(broker, 'far', 3_200);
    });
    await close();

    expect(seen).toEqual([...ids.slice(0, 3_000), ...ids.slice(4_000)]);
  });

  it('finds its place again after more runs were claimed than one call searches', async () => {
    const { broker, close } = await open();
    const ids = idsOf('a', 40_000);
    for (let from = 0; from < ids.length; from += 5_000)
      await broker.submit(ids.slice(from, from + 5_000).map(submission));
    const query: ListQuery = { state: 'submitted', limit: 1_000, payloads: 'omit' };
    let page = await broker.list(query);
    for (let count = 0; count < 34; count += 1)
      page = await broker.list({ ...query, after: page.next ?? '' });
    expect(page.runs.at(-1)?.id).toBe(ids[34_999]);
    for (let count = 0; count < 30; count += 1) await claim(broker, `${count}`, 1_000);

    const rest: string[] = [];
    while (page.next !== undefined) {
      page = await broker.list({ ...query, after: page.next });
      rest.push(...page.runs.map(({ id }) => id));
    }
    await close();

    expect(rest).toEqual(ids.slice(35_000));
  });

  it('shows a run once whose id was used before by one that was cancelled in the lane', async () => {
    const { broker, close } = await open();
    await broker.submit(['a', 'b', 'c', 'd'].map(submission));
    await cancelRuns(broker, ['a', 'c']);
    await discardRuns(broker, ['a', 'c']);
    await broker.submit([submission('a'), { ...submission('c'), lane: 'm' }]);

    const seen = [await listAll(broker, 1, async () => {}), await listAll(broker, 9, async () => {})];
    await close();

    expect(seen).toEqual([
      ['b', 'd', 'a', 'c'],
      ['b', 'd', 'a', 'c'],
    ]);
  });

  it('takes a constant number of calls for a page, even beside many runs that were cancelled', async () => {
    const { broker, sent, close } = await open();
    const ids = idsOf('a', 3_000);
    await broker.submit(ids.map(submission));
    await cancelRuns(broker, ids.slice(0, 900));
    sent.length = 0;

    const first = await broker.list({ state: 'submitted', limit: 10, payloads: 'omit' });
    const calls = sent.length;
    const seen = await listAll(broker, 500, async () => {});
    await close();

    expect(first.runs.length).toBeLessThanOrEqual(10);
    expect(calls).toBeLessThan(200);
    expect(seen).toEqual(ids.slice(900));
  });

  it('shows each run of many lanes, most of which are empty', async () => {
    const { broker, close } = await open();
    const ids = idsOf('a', 2_500);
    await broker.submit(ids.map((id) => ({ id, lane: `lane-${id}`, payload: '1' })));
    const kept = ids.filter((_, index) => index % 100 === 7);
    await cancelRuns(
      broker,
      ids.filter((id) => !kept.includes(id)),
    );

    const seen = await listAll(broker, 3, async () => {});
    await close();

    expect(seen).toEqual(kept);
  });
});
