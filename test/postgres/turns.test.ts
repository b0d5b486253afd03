import { cancelRuns } from '@retry/core/broker/kit';
import { createPostgresBroker } from '@retry/postgres';
import { expect, it } from 'vitest';
import { channelOf } from '../../packages/postgres/src/schema/migrations.ts';
import { passTime } from '../support/pass-time.ts';
import { settlementOf } from '../support/settle.ts';
import { describeTwoConnections, idsOf } from './two-connections.ts';

/** Submissions whose fairness key is the first letter of their id. */
const keyed = (...ids: readonly string[]) =>
  ids.map((id) => ({ id, lane: 'l', payload: '{}', fairnessKey: id.charAt(0) }));

describeTwoConnections('turns of fairness keys beside a transaction', (open) => {
  it.each(['commit', 'rollback'])(
    'that submits a run of a key: one run of this key waits for its %s, and no other',
    async (end) => {
      const { tx, broker, submit, claim } = open();
      await submit(...keyed('t1', 't2', 'b1'));
      await broker.within(tx).submit(keyed('t3'));

      const meanwhile = [await claim('1'), await claim('2')].map(idsOf);
      await tx.query(end);

      expect(meanwhile).toEqual([['t1', 'b1'], []]);
      expect(idsOf(await claim('3'))).toEqual(end === 'commit' ? ['t2', 't3'] : ['t2']);
    },
  );

  it('that submits the first runs of a key: others of the key do not wait, and take turns with them', async () => {
    const { tx, broker, pool, schema, submit, claim } = open();
    await broker.within(tx).submit(keyed('t1', 't2'));
    await submit(...keyed('t3', 't4', 't5', 'b1'));

    const meanwhile = idsOf(await claim('1', 1));
    await tx.query('commit');
    // It has not read beyond what was committed late.
    const other = createPostgresBroker({ client: pool, schema: schema.name, listen: false });
    const next = idsOf(await claim('2', 1, other));

    expect([meanwhile, next]).toEqual([['t3'], ['t1']]);
    // It was one turn of two: the other one is left.
    expect((await pool.query(`select from ${schema.name}.turn where key = 't'`)).rowCount).toBe(1);
    expect(idsOf(await claim('3', 9, other))).toEqual(['b1', 't4', 't2', 't5']);
    expect((await pool.query(`select from ${schema.name}.turn`)).rowCount).toBe(0);
  });

  it('that submits the first run of a key: what comes back or is due does not wait for it', async () => {
    const { tx, broker, submit, claim } = open();
    await submit(...keyed('t1'));
    const [first] = await claim('1');
    if (first === undefined) throw new Error('t1 is not claimed');
    await broker.within(tx).submit(keyed('t2'));
    await submit({ ...keyed('t3')[0], id: 't3', delayMs: 1 });
    await passTime(5);

    const at = first.run.firstStartedAt ?? 0;
    const { settled } = await broker.exchange({
      settle: [settlementOf(first.run, { type: 'retry', at, runAt: at })],
    });
    const meanwhile = idsOf(await claim('2'));
    await tx.query('commit');

    expect({ settled, meanwhile }).toEqual({ settled: ['ok'], meanwhile: ['t1', 't3'] });
    expect(idsOf(await claim('3'))).toEqual(['t2']);
  });

  it('that submits a run of a key: a cancel of the only other one is answered locked', async () => {
    const { tx, broker, submit, claim } = open();
    await submit(...keyed('t1'));
    await broker.within(tx).submit(keyed('t2'));

    const locked = await cancelRuns(broker, ['t1']);
    await tx.query('commit');

    expect(locked).toEqual(['locked']);
    expect(await cancelRuns(broker, ['t1'])).toEqual(['cancelled']);
    expect(idsOf(await claim('1'))).toEqual(['t2']);
  });

  it('whose snapshot is older than the turn: its runs take turns with the others', async () => {
    const { tx, broker, submit, claim } = open();
    await tx.query('set transaction isolation level repeatable read; select 1');
    await submit(...keyed('t1', 't2'));

    await broker.within(tx).submit(keyed('t3', 't4'));
    await tx.query('commit');

    expect(idsOf(await claim('1'))).toEqual(['t1', 't3', 't2', 't4']);
  });
});

describeTwoConnections('a claim that is under way', (open) => {
  it('lets runs be submitted that follow the last one of their key', async () => {
    const { tx, submit, claim, pauseClaimOf, untilBlocked } = open();
    await submit(...keyed('t1'));
    await pauseClaimOf('t1');
    const claiming = claim('1', 1);
    await untilBlocked();

    await submit(...keyed('t2', 't3', 'b1'));
    await tx.query('commit');

    expect(idsOf(await claiming)).toEqual(['t1']);
    expect(idsOf(await claim('2'))).toEqual(['t2', 'b1', 't3']);
  });

  it('leaves a run by turn that the same client claims before those submitted later', async () => {
    const { tx, submit, claim, pauseClaimOf, untilBlocked } = open();
    await submit(...keyed('t1', 't2'));
    await pauseClaimOf('t1');
    const claiming = claim('1', 1);
    await untilBlocked();
    await submit({ id: 'p1' }, { id: 'p2' });
    const beside = idsOf(await claim('2', 1));

    await tx.query('commit');

    expect([idsOf(await claiming), beside]).toEqual([['t1'], ['p1']]);
    expect(idsOf(await claim('3', 1))).toEqual(['t2']);
  });

  it('notifies who waits of the run that it leaves by turn, and of none that it takes', async () => {
    const { tx, pool, schema, submit, claim } = open();
    await tx.query('commit');
    await submit(...keyed('t1', 't2', 't3', 't4'));
    await pool.query(`select ${schema.name}.start_waiting('other', 60000, false)`);
    const seen: unknown[] = [];
    tx.on('notification', ({ payload }) => seen.push(JSON.parse(payload ?? '')));
    await tx.query(`listen "${channelOf(schema.name)}"`);

    await claim('1', 2);
    await expect.poll(() => seen).toEqual([{ ready: ['l'], later: null, results: false }]);
    await claim('2', 2);
    await submit({ id: 'p', lane: 'other' });
    await expect.poll(() => seen.length).toBe(2);
    await tx.query('unlisten *; begin');

    expect(seen[1]).toMatchObject({ ready: ['other'] });
  });
});
