import type { ClaimedRun } from '@retry/core/broker';
import { cancelRuns, discardRuns, redriveRuns } from '@retry/core/broker/kit';
import { expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { settlementOf } from '../support/settle.ts';
import { completed, describeTwoConnections, idsOf } from './two-connections.ts';

/** What the column `record` may contain, if people write to it. */
const BROKEN_RECORDS = [
  '',
  '{',
  'null',
  '5',
  '"text"',
  '[]',
  '{"failures":1},{"failures":2}',
  '{"failures":"many"}',
  '{"failures":-1}',
  '{"failures":1e300}',
  '{"errors":5}',
  '{"errors":[null]}',
  '{"errors":[{"name":1}]}',
  '{"runAt":"soon"}',
  '{"settledBy":{}}',
  '{"redrives":"\\u0000"}',
  'not\njson',
];

/** Epochs that cannot be incremented. */
const BROKEN_EPOCHS = ['-1', '9007199254740991', '9223372036854775807'];

describeTwoConnections('a wrongly stored run', (open) => {
  const spoil = async (id: string, what: string): Promise<void> => {
    const { pool, schema } = open();
    await pool.query(`update ${schema.name}.run set ${what} where id = $1`, [id]);
  };
  const expectFailed = async (id: string): Promise<void> => {
    const { broker } = open();
    const query = { state: 'failed', errorName: 'UNREADABLE_RUN', limit: 9 } as const;
    expect((await broker.list(query)).runs.map((run) => [run.id, run.errors.at(-1)?.name])).toEqual([
      [id, 'UNREADABLE_RUN'],
    ]);
    expect((await broker.audit()).unbalanced).toBe(0);
  };

  it.each(BROKEN_RECORDS)('affects no other run: the record %j of a waiting run', async (record) => {
    const { broker, submit, claim } = open();
    await submit({ id: 'before' }, { id: 'broken' }, { id: 'behind' });
    await spoil('broken', `record = '${record.replaceAll("'", "''")}'`);

    const claimed = await claim('r');

    expect(idsOf(claimed)).toEqual(['before', 'behind']);
    expect((await broker.exchange({ settle: completed(claimed) })).settled).toEqual(['ok', 'ok']);
    await expectFailed('broken');
    expect(await discardRuns(broker, ['broken'])).toEqual(['discarded']);
  });

  it.each(BROKEN_EPOCHS)('affects no other run: the epoch %s of a waiting run', async (epoch) => {
    const { broker, submit, claim } = open();
    await submit({ id: 'before' }, { id: 'broken' }, { id: 'behind' });
    await spoil('broken', `epoch = ${epoch}`);

    expect(idsOf(await claim('r'))).toEqual(['before', 'behind']);
    await expectFailed('broken');
    expect(await redriveRuns(broker, ['broken'])).toEqual(['redriven']);
    expect(idsOf(await claim('again'))).toEqual(['broken']);
  });

  it('starts a run whose epoch is the last of 32 bits', async () => {
    const { broker, submit, claim } = open();
    await submit({ id: 'a' });
    await spoil('a', 'epoch = 2147483647');

    const claimed = await claim('r');
    const { settled } = await broker.exchange({ settle: completed(claimed) });

    expect(claimed.map(({ run }) => run.epoch)).toEqual([2_147_483_648]);
    expect(settled).toEqual(['ok']);
  });

  it('affects no other run: a run in its lane without a row', async () => {
    const { pool, schema, submit, claim } = open();
    await submit({ id: 'before' }, { id: 'broken' }, { id: 'behind' });
    await pool.query(`delete from ${schema.name}.run where id = 'broken'`);

    expect(idsOf(await claim('r'))).toEqual(['before', 'behind']);
    await expectFailed('broken');
  });

  it('affects no other run: a run in the schedule without a row', async () => {
    const { pool, schema, submit, claim } = open();
    await submit(...['before', 'broken', 'behind'].map((id) => ({ id, delayMs: 1 })));
    await pool.query(`delete from ${schema.name}.run where id = 'broken'`);
    await passTime(5);

    expect(idsOf(await claim('r'))).toEqual(['before', 'behind']);
    await expectFailed('broken');
  });

  it.each([
    ['without a row', undefined],
    ['whose epoch is out of range', 'epoch = -5'],
    ['without the limit of its key', 'key_limit = null'],
  ] as const)('affects no other run: a run with a concurrency key %s', async (_what, wrong) => {
    const { pool, schema, submit, claim } = open();
    const concurrency = { key: 'k', limit: 9, whenFull: 'wait' } as const;
    await submit(...['before', 'broken', 'behind'].map((id) => ({ id, concurrency })));
    if (wrong === undefined) await pool.query(`delete from ${schema.name}.run where id = 'broken'`);
    else await spoil('broken', wrong);

    expect(idsOf(await claim('r'))).toEqual(['before', 'behind']);
    await expectFailed('broken');
  });

  it('affects no other run: the record of a run whose worker is gone', async () => {
    const { broker, submit } = open();
    await submit({ id: 'broken' }, { id: 'fine' });
    const lanes = new Map([['l', 9]]);
    await broker.exchange({ claim: { worker: 'w', requestId: 'r', limit: 9, lanes, leaseMs: 1 } });
    await spoil('broken', "record = '{'");
    await passTime(5);

    expect((await broker.findExpired(9)).map(({ id }) => id)).toEqual(['fine']);
    await expectFailed('broken');
    expect((await broker.findExpired(9)).map(({ id }) => id)).toEqual(['fine']);
  });

  it('affects no other run: the largest epoch of a started run, whose row does not say so yet', async () => {
    const { broker, submit, claim } = open();
    await submit({ id: 'broken' }, { id: 'fine' });
    const [, fine] = await claim('r');
    await spoil('broken', 'epoch = 9223372036854775807');
    const ids = ['broken', 'fine'];

    const got = await broker.get(ids);
    const { runs } = await broker.list({ state: 'started', limit: 9 });
    const extended = await broker.heartbeat(
      ids.map((id) => ({ id, epoch: 1 })),
      1_000,
    );

    expect(got.map((run) => run?.state)).toEqual(['started', 'started']);
    expect(runs.map(({ id }) => id).sort()).toEqual(ids);
    expect(extended).toEqual(['fenced', 'ok']);
    expect(await cancelRuns(broker, ['broken'])).toEqual(['requested']);
    const settle = completed(fine === undefined ? [] : [fine]);
    expect((await broker.exchange({ settle })).settled).toEqual(['ok']);
  });

  it('is settled and answered like any other while it is started', async () => {
    const { broker, submit, claim } = open();
    await submit({ id: 'broken' }, { id: 'fine' });
    const claimed: readonly ClaimedRun[] = await claim('r');
    await spoil('broken', "record = '{'");
    const late = claimed.map(({ run }) => settlementOf(run, { type: 'fail', at: 1 }));

    const first = await broker.exchange({ settle: completed(claimed) });
    await spoil('broken', "record = '{'");
    const again = await broker.exchange({ settle: late });

    expect(first.settled).toEqual(['ok', 'ok']);
    expect(again.settled).toEqual(['fenced', 'fenced']);
  });

  it('can be read, redriven and claimed: a dead letter with a broken record', async () => {
    const { broker, submit, claim } = open();
    await submit({ id: 'a' });
    const [first] = await claim('first');
    const failed = first === undefined ? [] : [settlementOf(first.run, { type: 'fail', at: 1 })];
    await broker.exchange({ settle: failed });
    await spoil('a', `record = '{"redrives":"many","errors":{}}'`);

    expect((await broker.get(['a']))[0]?.errors.at(-1)?.name).toBe('UNREADABLE_RUN');
    expect(await redriveRuns(broker, ['a'])).toEqual(['redriven']);
    expect((await claim('second')).map(({ run }) => [run.id, run.redrives, run.errors])).toEqual([
      ['a', 1, []],
    ]);
  });

  it('does not break the view of waiting runs', async () => {
    const { pool, schema, submit } = open();
    await submit({ id: 'broken' }, { id: 'fine' });
    await spoil('broken', "record = '{'");

    const { rows } = await pool.query(`select id, attempts from ${schema.name}.retry_eligible order by id`);

    expect(rows).toEqual([
      { id: 'broken', attempts: 0 },
      { id: 'fine', attempts: 0 },
    ]);
  });
});
