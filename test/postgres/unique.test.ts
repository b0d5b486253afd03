import type { Submission, Unique } from '@retry/core/broker';
import { cancelRuns } from '@retry/core/broker/kit';
import { expect, it } from 'vitest';
import { describeTwoConnections, idsOf } from './two-connections.ts';

const unique = (
  name: string,
  options: Partial<Unique> & { concurrency?: Submission['concurrency'] } = {},
) => {
  const { key = 'k', until = 'ended', onConflict = 'keep', concurrency } = options;
  return {
    ...{ id: `{${key}}${name}`, lane: 'l', payload: '{}', unique: { key, until, onConflict } },
    ...(concurrency && { concurrency }),
  };
};

const KEPT = { type: 'kept', id: '{k}a' };
const REPLACE = { onConflict: 'replace' } as const;

describeTwoConnections('unique submissions on two connections', (open) => {
  it('wait for a transaction that submits the key, and are kept once that commits', async () => {
    const { broker, tx, untilBlocked } = open();
    expect(await broker.within(tx).submit([unique('a')])).toEqual(['created']);

    const submitting = broker.submit([unique('b')]);
    await untilBlocked();
    await tx.query('commit');

    expect(await submitting).toEqual([KEPT]);
  });

  it('have the key after a transaction that took it is rolled back', async () => {
    const { broker, tx, untilBlocked, claim } = open();
    await broker.within(tx).submit([unique('a')]);

    const submitting = broker.submit([unique('b')]);
    await untilBlocked();
    await tx.query('rollback');

    expect(await submitting).toEqual(['created']);
    expect(idsOf(await claim('r'))).toEqual(['{k}b']);
  });

  it('leave the run that a transaction replaced, and its key, when that is rolled back', async () => {
    const { broker, tx, claim } = open();
    await broker.submit([unique('a')]);
    expect(await broker.within(tx).submit([unique('b', REPLACE)])).toEqual([
      { type: 'replaced', id: '{k}a' },
    ]);
    await tx.query('rollback');

    expect(await broker.submit([unique('c')])).toEqual([KEPT]);
    expect(idsOf(await claim('r'))).toEqual(['{k}a']);
  });

  it('see within a transaction what it submitted before', async () => {
    const { broker, tx, claim } = open();
    const within = broker.within(tx);
    await within.submit([unique('a')]);

    expect(await within.submit([unique('b')])).toEqual([KEPT]);
    expect(await within.submit([unique('c', REPLACE)])).toEqual([{ type: 'replaced', id: '{k}a' }]);
    await tx.query('commit');
    expect(idsOf(await claim('r'))).toEqual(['{k}c']);
  });

  it('do not replace a run that is being claimed, which goes on without a cancel request', async () => {
    const { broker, tx, claim, pauseClaimOf, untilBlocked } = open();
    await broker.submit([unique('a')]);
    await pauseClaimOf('{k}a');
    const claiming = claim('r');
    await untilBlocked();

    const submitting = broker.submit([unique('b', REPLACE)]);
    await untilBlocked(2);
    await tx.query('commit');

    expect(idsOf(await claiming)).toEqual(['{k}a']);
    expect(await submitting).toEqual(['created']);
    expect(await broker.heartbeat([{ id: '{k}a', epoch: 1 }], 0)).not.toContain('cancel');
    expect(await broker.submit([unique('c')])).toEqual([{ type: 'kept', id: '{k}b' }]);
  });

  it('of several keys in any order, with concurrency keys and operators beside them, meet in no deadlock', async () => {
    const { broker, pool, schema } = open();
    const keys = ['k', 'l', 'm', 'n'];
    const concurrency = (key: string) => ({ key: `c-${key}`, limit: 1, whenFull: 'wait' }) as const;
    const round = async (name: string, order: readonly string[]): Promise<unknown> =>
      broker.submit(
        order.map((key) => unique(name, { key, ...REPLACE, concurrency: concurrency(order[0] ?? key) })),
      );
    const before = await pool.query(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );

    await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        await round(`${index}`, index % 2 === 0 ? keys : [...keys].reverse());
        const ids = keys.map((key) => `{${key}}${index}`);
        while ((await cancelRuns(broker, ids)).includes('locked'));
      }),
    );

    await pool.query('select pg_stat_force_next_flush()').catch(() => undefined);
    const after = await pool.query(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(after.rows).toEqual(before.rows);
    expect(await broker.audit()).toMatchObject({ submitted: 0, ended: { cancelled: 12 * keys.length } });
    const { rowCount } = await pool.query(`select from ${schema.name}.unique_key`);
    expect(rowCount).toBe(keys.length);
  });

  it('keep at most about twice as many keys as are taken at the same time', async () => {
    const { broker, pool, schema } = open();
    const round = (index: number) => [0, 1, 2, 3, 4].map((item) => `${index}-${item}`);
    for (let index = 0; index < 30; index += 1) {
      await broker.submit(round(index).map((key) => unique('a', { key })));
      await cancelRuns(
        broker,
        round(index).map((key) => `{${key}}a`),
      );
    }

    const { rowCount } = await pool.query(`select from ${schema.name}.unique_key`);

    expect(rowCount).toBeLessThanOrEqual(12);
  });
});
