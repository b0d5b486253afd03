import type { Broker, Settlement } from '@retry/core/broker';
import { createQueue, defineTask } from '@retry/worker';
import { beforeEach, expect, it } from 'vitest';
import { completed, describeTwoConnections } from './two-connections.ts';

const task = defineTask({ name: 'task', run: async (_: string) => {} });

/** Long enough for what waits for nobody. */
const SOON_MS = 5_000;

async function soon<Value>(promise: Promise<Value>): Promise<Value | 'still waiting'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'still waiting'>((resolve) => {
    timer = setTimeout(resolve, SOON_MS, 'still waiting');
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const settleWithoutWaiting = async (broker: Broker, settle: readonly Settlement[]) =>
  (await broker.exchange({ settle, whenLocked: 'answer' })).settled;

describeTwoConnections('while a transaction of the user has a run or a key, a queue', (open) => {
  let tx: ReturnType<typeof open>['tx'];
  let queue: ReturnType<typeof createQueue>;
  beforeEach(() => {
    tx = open().tx;
    queue = createQueue({ broker: open().broker });
  });

  const KEYS = [
    ['key', { key: 'order-7' }, false],
    ['unique key', { unique: { key: 'order-7' } }, false],
    ['unique key, to replace its run,', { unique: { key: 'order-7', onConflict: 'replace' } }, true],
  ] as const;

  it.each(KEYS)(
    'submits all but those of that %s, those of the same turn, too',
    async (_, options, isNew) => {
      await queue.submit(task, 'in the transaction', { ...options, tx });

      const same = [1, 2].map(() => queue.submit(task, 'same', options));
      const others = [
        queue.submit(task, 'of the same turn, without a key'),
        queue.submit(task, 'of the same turn', { key: 'order-8' }),
        queue.submit(task, 'of the same turn', { unique: { key: 'order-9' } }),
      ];
      const submitted = await soon(Promise.all(others));
      const later = await soon(queue.submit(task, 'later', { key: 'order-10' }));
      const isSameAnswered = await Promise.race([...same, Promise.resolve('waits')]);
      await tx.query('commit');

      expect(submitted).toMatchObject([{ isNew: true }, { isNew: true }, { isNew: true }]);
      expect(later).toMatchObject({ isNew: true });
      expect(isSameAnswered).toBe('waits');
      const news = (await Promise.all(same)).map(({ isNew }) => isNew);
      expect(news).toEqual([isNew, isNew]);
    },
  );

  it('settles none of a batch that it has, and all others', async () => {
    const { broker, submit, claim } = open();
    await submit({ id: 'a' }, { id: 'b' }, { id: 'c' });
    const settlements = completed(await claim('r'));
    await broker.within(tx).exchange({ settle: settlements.slice(1, 2) });

    const during = await soon(settleWithoutWaiting(broker, settlements));
    await tx.query('rollback');

    expect(during).toEqual(['ok', 'locked', 'ok']);
    expect(await settleWithoutWaiting(broker, settlements)).toEqual(['already', 'ok', 'already']);
  });

  it('submits a run of its key when it is rolled back, once', async () => {
    await queue.submit(task, 'in the transaction', { key: 'order-7', tx });

    const same = [1, 2, 3].map((n) => queue.submit(task, `${n}`, { key: 'order-7' }));
    const other = await soon(queue.submit(task, 'other'));
    await tx.query('rollback');

    expect(other).toMatchObject({ isNew: true });
    const news = (await Promise.all(same)).filter(({ isNew }) => isNew);
    expect(news).toHaveLength(1);
    expect((await queue.counts()).created).toBe(2);
  });

  it('goes on with hundreds of submissions of one turn', async () => {
    await queue.submit(task, 'in the transaction', { key: '150', tx });

    const all = Array.from({ length: 300 }, (_, n) => queue.submit(task, '', { key: `${n}` }));
    const others = await soon(Promise.all(all.filter((_, n) => n !== 150)));
    await tx.query('commit');

    expect(others).toHaveLength(299);
    expect((await all[150])?.isNew).toBe(false);
    expect((await queue.counts()).created).toBe(300);
  });

  const WAYS = [
    ['cancels', (id: string) => queue.cancel(id), 'cancelled', 'ended'],
    ['ends', (id: string) => queue.complete(id, 1), 'done', 'ended'],
    ['moves', (id: string) => queue.reschedule(id, { delay: '1h' }), 'rescheduled', 'refused'],
  ] as const;

  it.each(WAYS)('%s other runs, those of the same turn, too', async (_, act, done, tooLate) => {
    const { broker } = open();
    const [first, second, third, fourth] = await Promise.all(
      [1, 2, 3, 4].map((n) => queue.submit(task, `${n}`)),
    );
    const claim = { worker: 'w', requestId: 'r', limit: 1, lanes: new Map([['task@1', 1]]), leaseMs: 60_000 };
    const { claimed } = await broker.exchange({ claim });
    await broker.within(tx).exchange({ settle: completed(claimed) });

    const held = act(first?.id ?? '');
    const others = await soon(Promise.all([act(second?.id ?? ''), act(third?.id ?? '')]));
    const later = await soon(act(fourth?.id ?? ''));
    await tx.query('commit');

    expect(others).toEqual([done, done]);
    expect(later).toBe(done);
    expect(await held).toBe(tooLate);
  });
});
