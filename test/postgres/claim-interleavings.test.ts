import type { ClaimedRun } from '@retry/core/broker';
import { discardRuns } from '@retry/core/broker/kit';
import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker, transaction } from '@retry/postgres';
import { expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { settlementOf } from '../support/settle.ts';
import type { TwoConnections } from './two-connections.ts';
import { completed, describeTwoConnections, idsOf } from './two-connections.ts';

const ONE_AT_A_TIME = { key: 'k', limit: 1, whenFull: 'wait' } as const;

describeTwoConnections('claims on two connections', (open) => {
  it('return the same runs when one claim is requested twice at the same time', async () => {
    const { tx, broker, submit, claim, pauseClaimOf, untilBlocked } = open();
    await submit({ id: 'a' }, { id: 'b' });
    await pauseClaimOf('a');
    const first = claim('r', 1);
    await untilBlocked();
    const second = claim('r', 1);
    await untilBlocked(2);
    await tx.query('commit');

    expect([await first, await second].map(idsOf)).toEqual([['a'], ['a']]);
    expect(await broker.audit()).toMatchObject({ started: 1, submitted: 1 });
  });

  it('start no more runs than the limit when locks are released in the middle of a lane', async () => {
    const { pool, tx, submit, claim, lock, pauseClaimOf, untilBlocked } = open();
    const key = (name: string) => ({ concurrency: { ...ONE_AT_A_TIME, key: name } });
    await submit({ id: 'freed', ...key('k1') }, { id: 'slow' }, { id: 'seen', ...key('k2') });
    await pauseClaimOf('slow');
    const other = await pool.connect();
    await other.query('begin');
    await lock('ready', 'freed', other);
    const claiming = claim('r', 2);
    await untilBlocked();
    await other.query('rollback');
    other.release();
    await tx.query('commit');

    expect(await claiming).toHaveLength(2);
    expect(await claim('rest')).toHaveLength(1);
  });

  it('keep a run that was claimed again before its last settlement was answered in the list of started runs', async () => {
    const { pool, schema, broker, submit, claim } = open();
    const replies: (() => void)[] = [];
    let isHolding = false;
    const client: SqlClient = {
      query: async (text, values) => {
        const answer = await pool.query(text, values as unknown[]);
        if (isHolding) await new Promise<void>((resolve) => replies.push(resolve));
        return answer;
      },
    };
    const late = createPostgresBroker({ client, schema: schema.name, listen: false });
    await submit({ id: 'a' });
    const [first] = await claim('first', 1, late);
    isHolding = true;
    const settle = first ? [settlementOf(first.run, { type: 'release', at: 0 })] : [];
    const settling = late.exchange({ settle });
    while (replies.length === 0) await passTime(5);
    isHolding = false;
    expect(idsOf(await claim('again', 1, late))).toEqual(['a']);
    for (const reply of replies) reply();
    await settling;

    for (const id of ['b', 'c', 'd', 'e', 'f']) {
      await submit({ id });
      await claim(id, 1, late);
    }
    await late.close();

    expect((await broker.list({ state: 'started', limit: 9 })).runs.map(({ id }) => id)).toContain('a');
  });

  it('keep rows of the latest few claims only, once all is settled, also while two are always under way', async () => {
    const { pool, schema, broker, submit, claim } = open();
    const unsettled: ClaimedRun[][] = [];
    for (let round = 0; round < 20; round += 1) {
      await submit({ id: `${round}-a` }, { id: `${round}-b` });
      const claimed = await Promise.all([claim(`${round}-1`, 1), claim(`${round}-2`, 1)]);
      // Settled some rounds later, as by slow handlers.
      unsettled.push(claimed.flat());
      if (unsettled.length > 5) await broker.exchange({ settle: completed(unsettled.shift() ?? []) });
    }
    const during = await pool.query(`select count(*)::integer from ${schema.name}.claim`);
    await broker.exchange({ settle: completed(unsettled.flat()) });
    await submit({ id: 'last' });
    await claim('last', 1);
    const after = await pool.query(`select count(*)::integer from ${schema.name}.claim`);

    expect(during.rows[0].count).toBeLessThan(16);
    expect(after.rows[0].count).toBe(4);
  });

  it('do not block an exchange of a worker while another removes the same claims', async () => {
    const { pool, schema, tx, broker, submit, claim } = open();
    const settleAll = async (request: string): Promise<unknown> => {
      await submit({ id: request });
      return broker.exchange({ settle: completed(await claim(request, 1)) });
    };
    for (const request of ['a', 'b', 'c', 'd']) await settleAll(request);
    await tx.query(`select from ${schema.name}.claim for update`);

    await settleAll('e');
    await tx.query('commit');
    await settleAll('f');

    const { rows } = await pool.query(
      `select array_agg(request order by request) as kept from ${schema.name}.claim`,
    );
    expect(rows[0].kept).toEqual(['a', 'c', 'd', 'e', 'f']); // `a` is left to the search of expired leases
  });

  it('find a run whose lease expired while a transaction settled it, once the transaction is rolled back', async () => {
    const { tx, broker, submit } = open();
    await submit({ id: 'a' }, { id: 'b' });
    const lanes = new Map([['l', 9]]);
    const { claimed } = await broker.exchange({
      claim: { worker: 'w', requestId: 'r', limit: 9, lanes, leaseMs: 1 },
    });
    await broker.within(tx).exchange({ settle: completed(claimed.slice(0, 1)) });
    await passTime(5);

    expect((await broker.findExpired(9)).map(({ id }) => id)).toEqual(['b']);
    await tx.query('rollback');
    expect((await broker.findExpired(9)).map(({ id, epoch }) => [id, epoch])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
  });

  it('leave no row behind when transactions settle all of their runs', async () => {
    const { pool, schema, broker, submit } = open();
    const lanes = new Map([['l', 1]]);
    const claim = { worker: 'w', limit: 1, lanes, leaseMs: 1 };
    for (const requestId of ['a', 'b', 'c', 'd', 'e']) {
      await submit({ id: requestId });
      const { claimed } = await broker.exchange({ claim: { ...claim, requestId } });
      await transaction(pool, (tx) => broker.within(tx).exchange({ settle: completed(claimed) }));
    }
    await pool.query(`update ${schema.name}.claim set at = at - 60000 where request <> 'e'`);
    await passTime(5);

    expect(await broker.findExpired(9)).toEqual([]);
    const { rows } = await pool.query(`select request from ${schema.name}.claim`);
    expect(rows).toEqual([{ request: 'e' }]); // its request may still be on its way
  });

  it('refuse the settlement of a reused id from its earlier holder', async () => {
    const { broker, claim } = open();
    const { other, lost } = await reuseId(open());
    const waiting = await broker.exchange({ settle: completed(lost) });
    const byStranger = await other.exchange({ settle: completed(lost) });
    const [again] = await claim('again', 9, other);
    const started = await broker.exchange({ settle: completed(lost) });
    await other.close();

    const answers = [waiting, byStranger, started].flatMap(({ settled }) => settled);
    expect(answers).toEqual(['fenced', 'fenced', 'fenced']);
    expect(again?.run.epoch).toBe(1);
  });

  it('accept the settlement of a reused id from its current holder', async () => {
    const { broker, claim } = open();
    const { other } = await reuseId(open());
    await other.close();

    const { settled } = await broker.exchange({ settle: completed(await claim('again')) });

    expect(settled).toEqual(['ok']);
  });

  it.each(['repeatable read', 'serializable'])(
    'fail, instead of refusing a settlement, when a transaction at %s is too old to see its claim',
    async (level) => {
      const { tx, broker, submit, claim } = open();
      await tx.query(`set transaction isolation level ${level}`);
      await submit({ id: 'a' });
      await tx.query('select 1');
      const settle = completed(await claim('r'));

      await expect(broker.within(tx).exchange({ settle })).rejects.toMatchObject({ code: '40001' });
    },
  );
});

/** Run `a` is claimed; another broker fails and discards it, and submits a new run of the same id. */
async function reuseId({ pool, schema, submit, claim }: TwoConnections) {
  const other = createPostgresBroker({ client: pool, schema: schema.name, listen: false });
  await submit({ id: 'a' });
  const lost = await claim('r');
  await other.exchange({ settle: lost.map(({ run }) => settlementOf(run, { type: 'fail', at: 0 })) });
  await discardRuns(other, ['a']);
  await submit({ id: 'a' });
  return { other, lost };
}
