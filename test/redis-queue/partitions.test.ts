import type { ListQuery, RunPage } from '@retry/core/broker';
import type { ClaimedOperation } from '@retry/core/broker/kit';
import {
  cancelRuns,
  changeOperation,
  claimOperation,
  endRuns,
  getOperation,
  holdLanes,
  listHolds,
  listOperations,
  listWorkers,
  putOperation,
  rescheduleRuns,
  resumeLanes,
  stepOperation,
} from '@retry/core/broker/kit';
import type { RedisBroker } from '@retry/redis-queue';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { Cluster } from 'ioredis';
import { createClient, createCluster } from 'redis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { partitionOf } from '../../packages/redis-queue/src/partitions/spread.ts';
import { auditEachCall } from '../support/broker-checked.ts';
import { openRedisBroker } from '../support/redis-harness.ts';
import { describeOnPrivateRedis } from '../support/servers/describe-on-redis.ts';
import type { PrivateCluster } from '../support/servers/redis-cluster.ts';
import { PATIENT, startPrivateCluster } from '../support/servers/redis-cluster.ts';
import { settlementOf } from '../support/settle.ts';

const LONG_MS = 60_000;

describeOnPrivateRedis('a queue of six partitions on a cluster', () => {
  let cluster: PrivateCluster;
  let client: ReturnType<typeof createCluster>;
  let broker: RedisBroker;
  let queues = 0;
  beforeAll(async () => {
    cluster = await startPrivateCluster();
    client = createCluster({ rootNodes: cluster.urls.map((url) => ({ url })), defaults: PATIENT });
    await client.connect();
  });
  afterAll(async () => {
    await client.close();
    await cluster.stop();
  });
  beforeEach(async () => {
    queues += 1;
    broker = await openRedisBroker({ client, prefix: `spread-${queues}`, partitions: 6 });
  });
  afterEach(() => broker.close());

  const ids = Array.from({ length: 60 }, (_, index) => `run-${String(index).padStart(2, '0')}`);
  const submit = () => broker.submit(ids.map((id) => ({ id, lane: 'l', payload: `"${id}"` })));
  const claim = (limit: number, requestId: string) => {
    const lanes = new Map([['l', limit]]);
    return broker.exchange({ claim: { worker: 'w', requestId, limit, lanes, leaseMs: LONG_MS } });
  };

  it('keeps its keys on every node', async () => {
    await submit();

    const sizes = await Promise.all(
      cluster.urls.map(async (url) => {
        const node = await createClient({ url }).connect();
        const size = await node.dbSize();
        await node.close();
        return size;
      }),
    );

    expect(Math.min(...sizes)).toBeGreaterThan(0);
  });

  it('wakes workers by a cluster of ioredis that takes no command before it is connected', async () => {
    const nodes = cluster.ports.map((port) => ({ host: '127.0.0.1', port }));
    const patient = { connectTimeout: 30_000 };
    const own = new Cluster(nodes, { enableOfflineQueue: false, redisOptions: patient });
    await new Promise((resolve) => own.once('ready', resolve));
    await using other = await openRedisBroker({ client: own, prefix: `spread-${queues}`, partitions: 6 });

    const waiting = other.wait({ lanes: ['l'], timeoutMs: 3_600_000 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    await submit();
    await waiting;

    own.disconnect();
  });

  /** All runs have failed, and an operation on them is kept. */
  async function failAndPut(): Promise<void> {
    await submit();
    const { claimed, now: at } = await claim(60, 'all');
    await broker.exchange({
      settle: claimed.map(({ run }) => settlementOf(run, { type: 'fail', at })),
    });
    const filter = { state: 'failed', endedBefore: Number.MAX_SAFE_INTEGER } as const;
    await putOperation(broker, { id: 'o', kind: 'redrive', filter, planned: 60, isPlanExact: true });
  }

  async function claimOne(carrier = 'w'): Promise<ClaimedOperation> {
    const claimed = await claimOperation(broker, { carrier, leaseMs: LONG_MS });
    if (claimed === undefined) throw new Error('there is no operation to claim');
    return claimed;
  }

  const step = { skipped: 0, progress: '-', isLast: false };

  it('counts the steps of an operation over all partitions, each run once', async () => {
    const checked = auditEachCall(broker);
    await failAndPut();
    const first = await claimOne();

    await stepOperation(checked, first, { ...step, ids: [...ids.slice(0, 20), 'unknown'] });
    const again = await stepOperation(checked, first, { ...step, ids: ids.slice(15, 40) });
    await stepOperation(checked, await claimOne(), { ...step, ids: ids.slice(15, 30) });
    await stepOperation(checked, await claimOne(), { ...step, ids, isLast: true });

    expect(again).toBe('fenced');
    const operation = await getOperation(broker, 'o');
    expect(operation).toMatchObject({ state: 'done', done: 20 + 10 + 30, skipped: 1 + 5 + 30 });
    expect(await listOperations(broker)).toEqual([operation]);
    expect(await broker.audit()).toMatchObject({ submitted: 60 });
  });

  it('counts what a step has moved in other partitions than the first one, where its carrier dies in between', async () => {
    await failAndPut();
    const changes: Promise<unknown>[] = [];
    const dying: typeof broker.change = async (...change) => {
      if (changes.length === 3) throw new Error('killed');
      const changed = broker.change(...change);
      changes.push(changed);
      return changed;
    };
    const elsewhere = ids.filter((id) => partitionOf(id, 6) > 0);
    await expect(
      stepOperation({ ...broker, change: dying }, await claimOne(), { ...step, ids: elsewhere }),
    ).rejects.toThrow('killed');
    await Promise.all(changes);

    const { submitted } = await broker.audit();
    expect(submitted).toBeGreaterThan(0);
    expect(submitted).toBeLessThan(elsewhere.length);
    expect(await getOperation(broker, 'o')).toMatchObject({ done: submitted, skipped: 0 });
    const left = (await broker.get(ids)).flatMap((run) => (run?.state === 'failed' ? [run.id] : []));
    await stepOperation(broker, await claimOne(), { ...step, ids: left, isLast: true });
    expect(await getOperation(broker, 'o')).toMatchObject({ state: 'done', done: 60, skipped: 0 });
  });

  it.each(['paused', 'cancelled', 'claimed by another'] as const)(
    'fences a step in every partition while its operation is %s',
    async (what) => {
      await failAndPut();
      const claimed = await claimOperation(broker, { carrier: 'v', leaseMs: 0 });
      if (what === 'claimed by another') await claimOne();
      else await changeOperation(broker, 'o', what);

      expect(claimed && (await stepOperation(broker, claimed, { ...step, ids }))).toBe('fenced');

      expect(await broker.audit()).toMatchObject({ ended: { failed: 60 }, forgotten: 0, unbalanced: 0 });
      expect(await getOperation(broker, 'o')).toMatchObject({ done: 0, skipped: 0 });
    },
  );

  it('forgets what was counted in other partitions with the operation', async () => {
    await failAndPut();
    await stepOperation(broker, await claimOne(), { ...step, ids, isLast: true });
    const countOf = async (): Promise<number> => {
      const pages = [1, 2, 3, 4, 5].map((at) => broker.notes.read({ prefix: `partition/${at}/`, limit: 9 }));
      return (await Promise.all(pages)).reduce((sum, { notes }) => sum + notes.length, 0);
    };
    expect(await countOf()).toBeGreaterThan(2);

    const filter = { state: 'failed', endedBefore: 1 } as const;
    for (let index = 0; index < 102; index += 1) {
      const id = `later-${index}`;
      await putOperation(broker, { id, kind: 'redrive', filter, planned: 0, isPlanExact: true });
      await changeOperation(broker, id, 'cancelled');
    }

    expect(await getOperation(broker, 'o')).toBeUndefined();
    expect(await countOf()).toBe(0);
  });

  it('refuses to write runs of several partitions with notes, and notes of several', async () => {
    await submit();
    const { runs } = await broker.get(ids, { answer: 'seen' });
    const changes = runs.flatMap((one) =>
      one === undefined ? [] : [{ id: one.run.id, seen: one.seen, next: 'forget' } as const],
    );
    const notes = [{ key: 'k', value: 'v' }];

    await expect(broker.change(changes, { notes })).rejects.toThrow('cannot be written together');
    await expect(broker.notes.write([...notes, { key: 'partition/2/k', value: 'v' }])).rejects.toThrow(
      'cannot be written together',
    );
    expect((await broker.notes.read({ prefix: '', limit: 9 })).notes).toEqual([]);
  });

  it('claims every run once, from every partition, and no more than the limit', async () => {
    const checked = auditEachCall(broker);
    await submit();
    const first = await claim(25, 'first');
    const again = await claim(25, 'first');
    const rest = await claim(100, 'rest');

    const settle = [...first.claimed, ...rest.claimed].map(({ run }) =>
      settlementOf(run, { type: 'complete', at: first.now }, { result: run.payload }),
    );
    const { settled } = await checked.exchange({ settle });

    const idsOf = (reply: typeof first) => reply.claimed.map(({ run }) => run.id);
    expect(first.claimed).toHaveLength(25);
    expect(idsOf(again)).toEqual(idsOf(first));
    expect([...idsOf(first), ...idsOf(rest)].sort()).toEqual(ids);
    expect(new Set(settled)).toEqual(new Set(['ok']));
    expect(await broker.audit()).toMatchObject({ created: 60, ended: { completed: 60 }, unbalanced: 0 });
  });

  it('answers in the order of the ids given, and lists one partition after another', async () => {
    await submit();
    const mixed = ['unknown', ...[...ids].reverse()];

    const found = await broker.get(mixed);
    const answers = await cancelRuns(broker, mixed.slice(0, 31));

    expect(found.map((run) => run?.id)).toEqual([undefined, ...[...ids].reverse()]);
    expect(answers).toEqual(['gone', ...Array(30).fill('cancelled')]);
    const { runs, next = '' } = await broker.list({ state: 'submitted', limit: 7 });
    const rest = await broker.list({ state: 'submitted', limit: 100, after: next });
    expect(runs).toHaveLength(7);
    expect(rest.next).toBeUndefined();
    expect([...runs, ...rest.runs].map(({ id }) => id).sort()).toEqual(ids.slice(0, 30));
    expect((await broker.list({ state: 'cancelled', limit: 100 })).runs).toHaveLength(30);
  });

  it('wakes a worker for a run in any partition, and drains', async () => {
    const seen: number[] = [];
    const task = defineTask({ name: 'any', run: (number: number) => void seen.push(number) });
    const worker = createWorker({
      broker,
      tasks: [task],
      signals: [],
      pollInterval: '10m',
      leaseRenewal: 'loop',
    });
    worker.start();
    const queue = createQueue({ broker });
    for (let number = 0; number < 30; number += 1) {
      const { id } = await queue.submit(task, number);
      await queue.waitForResult(id);
    }

    await worker.whenIdle();

    expect(seen).toEqual(Array.from({ length: 30 }, (_, number) => number));
    await worker.stop();
  });

  it('holds a lane in every partition, and resumes it in all of them', async () => {
    const hold = { lane: 'l', source: 'operator', reason: 'repairs', by: 'Ada' } as const;
    await holdLanes(broker, [hold, { source: 'handler', forMs: LONG_MS }]);
    await submit();

    const held = await claim(60, 'held');
    const holds = await listHolds(broker);
    const answers = await resumeLanes(broker, [{ lane: 'l' }, {}, { lane: 'm' }]);
    const resumed = await claim(60, 'resumed');

    expect(held.claimed).toEqual([]);
    expect(held.nextRunAt).toBeUndefined();
    expect(holds).toMatchObject([{ source: 'handler' }, hold]);
    expect(answers).toEqual(['resumed', 'resumed', 'none']);
    expect(resumed.claimed).toHaveLength(60);
    expect(await listHolds(broker)).toEqual([]);
  });

  it('lets one run through in each partition while a hold probes', async () => {
    await submit();
    await holdLanes(broker, [{ lane: 'l', source: 'circuit-breaker', forMs: 1, probeMs: LONG_MS }]);
    await new Promise((resolve) => setTimeout(resolve, 20));

    const { claimed } = await claim(60, 'probe');
    const rest = await claim(60, 'rest');

    expect(claimed.map(({ isProbe }) => isProbe)).toEqual(Array(6).fill(true));
    expect(rest.claimed).toEqual([]);
    expect(await listHolds(broker)).toMatchObject([{ lane: 'l', probeMs: LONG_MS }]);
  });

  it("finds expired runs of every partition in turn, each partition's longest ago first", async () => {
    await submit();
    const lanes = new Map([['l', 30]]);
    const expiring = { worker: 'w', limit: 30, lanes, leaseMs: 1 };
    await broker.exchange({ claim: { ...expiring, requestId: 'first' } });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await broker.exchange({ claim: { ...expiring, requestId: 'second' } });
    await new Promise((resolve) => setTimeout(resolve, 20));

    const all = await broker.findExpired(60);
    const some = await broker.findExpired(12);

    expect(new Set(all.map(({ id }) => id))).toEqual(new Set(ids));
    expect(some).toEqual(all.slice(0, 12));
    expect(some.map(({ id }) => partitionOf(id, 6))).toEqual([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
    for (let partition = 0; partition < 6; partition += 1) {
      const startedAts = all.flatMap(({ id, startedAt = 0 }) =>
        partitionOf(id, 6) === partition ? [startedAt] : [],
      );
      expect(startedAts).toEqual([...startedAts].sort((one, other) => one - other));
    }
  });

  it('moves and ends waiting runs in their partitions, in the order of the requests', async () => {
    await submit();
    const [first = '', second = '', third = ''] = ids;

    const ended = await endRuns(broker, [
      { id: second, as: 'completed', result: '1' },
      { id: 'unknown', as: 'completed', result: '1' },
      { id: first, as: 'failed', error: { name: 'E', message: 'by hand' } },
    ]);
    const moved = await rescheduleRuns(broker, [
      { id: first },
      { id: third, delayMs: LONG_MS },
      { id: 'unknown' },
    ]);

    expect(ended).toEqual(['done', 'gone', 'done']);
    expect(moved).toEqual(['refused', 'rescheduled', 'gone']);
    expect(await broker.audit()).toMatchObject({
      ...{ submitted: 57, scheduled: 1, unbalanced: 0 },
      ended: { completed: 1, failed: 1 },
    });
  });

  it('counts the started runs of every partition in a lane where none waits', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `started-${index}`);
    await broker.submit(ids.map((id) => ({ id, lane: 'l', payload: '{}' })));
    const lanes = new Map([['l', 40]]);
    for (let call = 0; call < 4; call += 1)
      await broker.exchange({
        claim: { worker: 'w', requestId: `r-${call}`, limit: 40, lanes, leaseMs: LONG_MS },
      });
    await broker.attend({ worker: 'w', lanes: ['l'], ttlMs: LONG_MS });

    const report = (await broker.figures?.({ lanes: {} }))?.lanes;

    expect(report?.lanes).toMatchObject([{ lane: 'l', started: { count: 40, isComplete: true } }]);
    expect(report?.isComplete).toBe(true);
  });

  it('adds up the figures of all partitions, and counts each worker once', async () => {
    const from = 4_000_000_000_000;
    const facts = { slots: 2, slotsTaken: 1, leases: 1 };
    const flow = {
      windowMs: 1_000,
      lanes: [{ lane: 'l', starts: 8, retries: 2, ends: 6, maxLatenessMs: 3 }],
    };
    const ids = Array.from({ length: 60 }, (_, index) => `counted-${index}`);
    await broker.submit(ids.map((id) => ({ id, lane: 'l', payload: '{}' })));
    await broker.submit(
      ids.map((id, index) => ({ id: `due-${id}`, lane: 'm', payload: '{}', runAt: from + index })),
    );
    await broker.exchange({
      claim: { worker: 'w', requestId: 'r', limit: 10, lanes: new Map([['l', 10]]), leaseMs: LONG_MS },
    });
    await broker.attend({ worker: 'w', lanes: ['l'], ttlMs: LONG_MS, facts: { ...facts, flow } });
    await holdLanes(broker, [{ lane: 'l', source: 'operator' }]);

    const asked = { lanes: {}, dueTimes: { from, bucketMs: 20, buckets: 2 } };
    const { lanes: report, dueTimes: spans } = (await broker.figures?.(asked)) ?? {};
    const { lanes, isComplete } = report ?? {};

    expect(isComplete).toBe(true);
    expect(lanes).toMatchObject([
      {
        ...{ lane: 'l', waiting: { count: 50 }, started: { count: 10 }, workers: 1 },
        ...{ holds: [{ source: 'operator' }], rates: { starts: { perSecond: 8 }, out: { perSecond: 6 } } },
      },
      { lane: 'm', waiting: { count: 0 }, scheduled: { count: 60 }, due: { count: 0 }, workers: 0 },
    ]);
    expect(spans).toMatchObject({ before: { count: 0 }, counts: [20, 20], after: { count: 20 } });
    expect(await listWorkers(broker)).toMatchObject([{ worker: 'w', lanes: ['l'], facts }]);
    expect((await broker.figures?.({ attempts: {} }))?.attempts).toMatchObject({
      counts: [{ attempt: 1, runs: 110 }],
      isComplete: true,
    });
  });

  it('keeps each limit of starts in the partition of its key, for all clients', async () => {
    const keys = Array.from({ length: 30 }, (_, index) => `api-${index}`);
    const requests = [...keys, ...keys].map((key) => ({ key, limit: 5, windowMs: LONG_MS, count: 3 }));
    const other = await openRedisBroker({ client, prefix: `spread-${queues}`, partitions: 6 });

    const first = await broker.reserve(requests);
    const second = await other.reserve(requests);

    expect(first.map(({ granted }) => granted)).toEqual([...Array(30).fill(3), ...Array(30).fill(2)]);
    expect(second.map(({ granted }) => granted)).toEqual(Array(60).fill(0));
    await other.close();
  });

  it.each([
    ['concurrency', { concurrency: { key: 'k', limit: 1, whenFull: 'wait' } }],
    ['fairness', { fairnessKey: 'k' }],
  ] as const)('refuses %s keys', async (_, key) => {
    const refusal = broker.submit([{ id: 'a', lane: 'l', payload: '1', ...key }]);

    await expect(refusal).rejects.toMatchObject({ code: 'NEEDS_ONE_PARTITION' });
    expect(broker.isRefusal(await refusal.catch((error: unknown) => error))).toBe(true);
  });

  it('refuses claims of a lane whose task has a limit, and of no other', async () => {
    await submit();
    const concurrency = new Map([['l', { limit: 2, whenFull: 'wait' } as const]]);
    const claimOf = (lane: string) => ({
      claim: {
        worker: 'w',
        requestId: 'r',
        limit: 1,
        lanes: new Map([[lane, 1]]),
        leaseMs: LONG_MS,
        concurrency,
      },
    });

    const refusal = broker.exchange(claimOf('l'));

    await expect(refusal).rejects.toMatchObject({ code: 'NEEDS_ONE_PARTITION' });
    expect(broker.isRefusal(await refusal.catch((error: unknown) => error))).toBe(true);
    expect((await broker.exchange(claimOf('m'))).claimed).toEqual([]);
  });

  it('finds cancel requests, expired runs and lanes without a worker in every partition', async () => {
    await submit();
    const depths = await broker.attend({ worker: 'w', lanes: ['other'], ttlMs: LONG_MS });
    const lanes = new Map([['l', 60]]);
    await broker.exchange({ claim: { worker: 'w', requestId: 'r', limit: 60, lanes, leaseMs: 1 } });
    await cancelRuns(broker, ids.slice(0, 30));
    await new Promise((resolve) => setTimeout(resolve, 20));

    const answers = await broker.heartbeat(
      ids.map((id) => ({ id, epoch: 1 })),
      0,
    );

    expect(depths).toEqual([{ lane: 'l', waiting: 60 }]);
    expect(answers).toEqual([...Array(30).fill('cancel'), ...Array(30).fill('ok')]);
    expect(await broker.findExpired(100, { lanes: ['l'] })).toHaveLength(60);
    expect(await broker.findExpired(100, { exceptLanes: ['l'] })).toEqual([]);
    expect(await broker.attend({ worker: 'w', lanes: ['l'], ttlMs: LONG_MS })).toEqual([]);
  });

  it('keeps a run that a settlement submits beside the settled one', async () => {
    await submit();
    const { claimed, now: at } = await claim(60, 'r');
    const settle = claimed.map(({ run }) => ({
      ...settlementOf(run, { type: 'fail', at }),
      submit: { id: `{${run.id}}next`, lane: 'm', payload: `"${run.id}"`, origin: run.id },
    }));

    const { settled } = await broker.exchange({ settle });
    const again = await broker.exchange({ settle });

    const kept = await broker.get(ids.map((id) => `{${id}}next`));
    expect(new Set(settled)).toEqual(new Set(['ok']));
    expect(new Set(again.settled)).toEqual(new Set(['already']));
    expect(kept.map((run) => [run?.origin, run?.payload])).toEqual(ids.map((id) => [id, `"${id}"`]));
    expect(await broker.audit()).toMatchObject({ created: 120, submitted: 60, unbalanced: 0 });
  });

  it('refuses a settlement that submits a run with a concurrency key, and writes nothing of it', async () => {
    await submit();
    const { claimed, now: at } = await claim(1, 'r');
    const concurrency = { key: 'k', limit: 1, whenFull: 'wait' } as const;
    const settle = claimed.map(({ run }) => ({
      ...settlementOf(run, { type: 'fail', at }),
      submit: { id: `{${run.id}}next`, lane: 'm', payload: '1', concurrency },
    }));

    const refused = await broker.exchange({ settle }).catch((error: unknown) => error);

    expect(refused).toMatchObject({ code: 'NEEDS_ONE_PARTITION' });
    expect(broker.isRefusal(refused)).toBe(true);
    expect(await broker.audit()).toMatchObject({ created: 60, started: 1 });
  });

  it('notifies of a result in any partition, and keeps it until it is collected', async () => {
    await broker.wait({ results: true, timeoutMs: 10_000 });
    await broker.submit(ids.map((id) => ({ id, lane: 'l', payload: '1', keepResultMs: LONG_MS })));
    const { claimed, now: at } = await claim(60, 'r');
    const waiting = broker.wait({ results: true, timeoutMs: 60_000 });

    await broker.exchange({
      settle: claimed.map(({ run }) => settlementOf(run, { type: 'complete', at })),
    });

    await waiting;
    expect((await broker.get(ids, { collect: true })).map((run) => run?.state)).toEqual(
      ids.map(() => 'completed'),
    );
    expect((await broker.audit()).unbalanced).toBe(0);
  });

  it('lists large runs page by page, each once', async () => {
    const payload = JSON.stringify('x'.repeat(1_048_576));
    await broker.submit(ids.map((id) => ({ id, lane: 'l', payload })));
    const seen: string[] = [];

    for (let page: RunPage | undefined; page === undefined || page.next !== undefined; ) {
      const query: ListQuery = { state: 'submitted', limit: 1_000 };
      page = await broker.list(page?.next === undefined ? query : { ...query, after: page.next });
      expect(page.runs.length).toBeLessThanOrEqual(9);
      seen.push(...page.runs.map(({ id }) => id));
    }

    expect(seen.sort()).toEqual(ids);
  });
});
