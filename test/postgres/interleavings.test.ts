import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker } from '@retry/postgres';
import { expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { completed, describeTwoConnections, idsOf } from './two-connections.ts';

const ONE_AT_A_TIME = { key: 'k', limit: 1, whenFull: 'wait' } as const;

describeTwoConnections('two connections', (open) => {
  it('do not block other operators while one waits for a run that a transaction is settling', async () => {
    const { tx, broker, submit, claim } = open();
    await submit({ id: 'open' });
    await broker.within(tx).settleAndClaim({ settle: completed(await claim('r')) });
    await submit({ id: 'waits' }, { id: 'other' });
    const cancelling = broker.cancel(['open', 'waits']);
    while ((await broker.get(['waits']))[0]?.state !== 'cancelled') await passTime(5);

    expect(await broker.cancel(['other'])).toEqual(['cancelled']);
    await tx.query('commit');
    expect(await cancelling).toEqual(['ended', 'cancelled']);
  });

  it('end and reschedule by hand what waits beside a run that a transaction is settling', async () => {
    const { tx, broker, submit, claim } = open();
    await submit({ id: 'open' });
    await broker.within(tx).settleAndClaim({ settle: completed(await claim('r')) });
    await submit({ id: 'ends' }, { id: 'moves' });

    const moved = await broker.reschedule(['open', 'moves'].map((id) => ({ id, delayMs: 60_000 })));
    const ending = broker.end(['open', 'ends'].map((id) => ({ id, as: 'completed', result: '1' })));
    while ((await broker.get(['ends']))[0]?.state !== 'completed') await passTime(5);
    await tx.query('commit');

    expect(moved).toEqual(['refused', 'rescheduled']);
    expect(await ending).toEqual(['ended', 'done']);
  });

  it('refuse to reschedule a run that a claim is starting, and leave it a cancel request where it is to end', async () => {
    const { tx, broker, submit, claim, pauseClaimOf, untilBlocked } = open();
    await submit({ id: 'a' });
    await pauseClaimOf('a');
    const claiming = claim('r');
    await untilBlocked();
    const rescheduling = broker.reschedule([{ id: 'a', delayMs: 60_000 }]);
    await untilBlocked(2);
    const ending = broker.end([{ id: 'a', as: 'completed', result: '1' }]);
    await untilBlocked(3);
    await tx.query('commit');

    expect(idsOf(await claiming)).toEqual(['a']);
    expect(await rescheduling).toEqual(['refused']);
    expect(await ending).toEqual(['requested']);
  });

  it('reschedule a parked run while its key is freed: it is claimed once', async () => {
    const { tx, broker, submit, claim, lock, untilBlocked } = open();
    await submit(...['holder', 'parked'].map((id) => ({ id, concurrency: ONE_AT_A_TIME })));
    const settle = completed(await claim('r'));
    await lock('run', 'parked');
    const rescheduling = broker.reschedule([{ id: 'parked', delayMs: 1 }]);
    await untilBlocked();
    const settling = broker.settleAndClaim({ settle });
    await untilBlocked(2);
    await tx.query('commit');

    expect(await rescheduling).toEqual(['rescheduled']);
    expect((await settling).settled).toEqual(['ok']);
    await passTime(5);
    expect(idsOf(await claim('next'))).toEqual(['parked']);
  });

  it('list runs as they were found, also when they move or are forgotten before they are read', async () => {
    const { pool, schema, tx, broker, submit, claim, untilBlocked } = open();
    await submit({ id: 'a' }, { id: 'b' });
    const settle = completed(await claim('r'));
    await tx.query('select pg_advisory_xact_lock(42)');
    await pool.query(`alter function ${schema.name}.show_listed rename to show_listed_then`);
    await pool.query(`create function ${schema.name}.show_listed(p_ids text[], p_ats bigint[], p_ords bigint[], p_payloads boolean)
      returns table (n bigint, id text, has_ended boolean, shown json)
      language plpgsql stable as $$ begin perform pg_advisory_xact_lock_shared(42);
      return query select * from show_listed_then(p_ids, p_ats, p_ords, p_payloads); end $$`);
    const listing = broker.list({ state: 'started', limit: 9 });
    await untilBlocked();
    await broker.settleAndClaim({ settle });
    await broker.discard(['b']);
    await tx.query('commit');

    expect((await listing).runs.map(({ id, state }) => [id, state])).toEqual([
      ['a', 'started'],
      ['b', 'started'],
    ]);
  });

  it('recognise a key whose run is being forgotten at the same moment', async () => {
    const { schema, tx, broker, claim, untilBlocked } = open();
    const keyed = { id: 'a', lane: 'l', payload: '{}', keyed: true };
    await broker.submit([keyed]);
    await broker.settleAndClaim({ settle: completed(await claim('r')) });
    const forgetting = createPostgresBroker({ client: tx, schema: schema.name, listen: false });
    expect(await forgetting.discard(['a'])).toEqual(['discarded']);

    const submitting = broker.submit([keyed, { ...keyed, id: 'b' }]);
    await untilBlocked();
    await tx.query('commit');

    expect(await submitting).toEqual(['exists', 'created']);
  });

  it('refuse to discard or redrive a waiting run, also while a transaction is moving it', async () => {
    const { tx, broker, submit, claim } = open();
    await submit(...['holder', 'parked'].map((id) => ({ id, concurrency: ONE_AT_A_TIME })));
    await broker.within(tx).settleAndClaim({ settle: completed(await claim('r')) });

    expect(await broker.discard(['parked'])).toEqual(['refused']);
    expect(await broker.redrive(['parked'])).toEqual(['refused']);
  });

  it('cancel a parked run while its key is freed, without an error in either call', async () => {
    const { pool, schema, tx, submit, claim, lock, untilBlocked } = open();
    const runs = ['holder', 'parked', 'second'].map((id) => ({ id, concurrency: ONE_AT_A_TIME }));
    await submit(...runs);
    const settle = completed(await claim('r'));
    await lock('run', 'second');
    const refused: unknown[] = [];
    const client: SqlClient = {
      query: (text, values) =>
        pool.query(text, values as unknown[]).catch((error) => {
          refused.push(error);
          throw error;
        }),
    };
    const watched = createPostgresBroker({ client, schema: schema.name, listen: false });
    const cancelling = watched.cancel(['parked', 'second']);
    await untilBlocked();
    const settling = watched.settleAndClaim({ settle });
    await untilBlocked(2);
    await tx.query('commit');

    expect(await cancelling).toEqual(['cancelled', 'cancelled']);
    expect((await settling).settled).toEqual(['ok']);
    expect(refused).toEqual([]);
    await watched.close();
  });

  it('cancel a run without a key at any isolation level', async () => {
    const { schema, tx, submit } = open();
    await submit({ id: 'a' });
    await tx.query('set transaction isolation level serializable');
    const strict = createPostgresBroker({ client: tx, schema: schema.name, listen: false });

    expect(await strict.cancel(['a'])).toEqual(['cancelled']);
    await tx.query('commit');
    await strict.close();
  });

  it.each(['repeatable read', 'serializable'])(
    'free no key at %s, where parked runs would not be seen',
    async (level) => {
      const { tx, broker, submit, claim } = open();
      await tx.query(`set transaction isolation level ${level}`);
      await submit(...['holder', 'parked'].map((id) => ({ id, concurrency: ONE_AT_A_TIME })));
      const settle = completed(await claim('first', 1));
      await tx.query('select 1');
      await claim('parks');

      const settling = broker.within(tx).settleAndClaim({ settle });

      await expect(settling).rejects.toThrow('needs the isolation level read committed');
      await tx.query('rollback');
      expect((await broker.settleAndClaim({ settle })).settled).toEqual(['ok']);
      expect(idsOf(await claim('next'))).toEqual(['parked']);
    },
  );
});
