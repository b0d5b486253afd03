import { cancelRuns, discardRuns, endRuns, redriveRuns, rescheduleRuns } from '@retry/core/broker/kit';
import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker } from '@retry/postgres';
import { expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { completed, describeTwoConnections, idsOf } from './two-connections.ts';

/** A call that does not wait for another client's transaction ends its statement with this. */
const LOCK_NOT_AVAILABLE = '55P03';

const ONE_AT_A_TIME = { key: 'k', limit: 1, whenFull: 'wait' } as const;

describeTwoConnections('two connections', (open) => {
  it('do not block other operators while one waits for a run that a transaction is settling', async () => {
    const { tx, broker, submit, claim } = open();
    await submit({ id: 'open' });
    await broker.within(tx).exchange({ settle: completed(await claim('r')) });
    await submit({ id: 'waits' }, { id: 'other' });

    expect(await cancelRuns(broker, ['open', 'waits'])).toEqual(['locked', 'cancelled']);
    expect(await cancelRuns(broker, ['other'])).toEqual(['cancelled']);
    await tx.query('commit');
    expect(await cancelRuns(broker, ['open'])).toEqual(['ended']);
  });

  it('end and reschedule by hand what waits beside a run that a transaction is settling', async () => {
    const { tx, broker, submit, claim } = open();
    await submit({ id: 'open' });
    await broker.within(tx).exchange({ settle: completed(await claim('r')) });
    await submit({ id: 'ends' }, { id: 'moves' });

    const moved = await rescheduleRuns(
      broker,
      ['open', 'moves'].map((id) => ({ id, delayMs: 60_000 })),
    );
    const end = (...ids: readonly string[]) =>
      endRuns(
        broker,
        ids.map((id) => ({ id, as: 'completed', result: '1' })),
      );
    const ended = await end('open', 'ends');
    await tx.query('commit');

    expect(moved).toEqual(['refused', 'rescheduled']);
    expect(ended).toEqual(['locked', 'done']);
    expect(await end('open')).toEqual(['ended']);
  });

  it('refuse to reschedule a run that a claim is starting, and leave it a cancel request where it is to end', async () => {
    const { tx, broker, submit, claim, pauseClaimOf, untilBlocked } = open();
    await submit({ id: 'a' });
    await pauseClaimOf('a');
    const claiming = claim('r');
    await untilBlocked();
    const reschedule = () => rescheduleRuns(broker, [{ id: 'a', delayMs: 60_000 }]);
    const end = () => endRuns(broker, [{ id: 'a', as: 'completed', result: '1' }]);
    const locked = [await reschedule(), await end()];
    await tx.query('commit');

    expect(locked).toEqual([['locked'], ['locked']]);
    expect(idsOf(await claiming)).toEqual(['a']);
    expect(await reschedule()).toEqual(['refused']);
    expect(await end()).toEqual(['requested']);
  });

  it('reschedule a parked run while its key is freed: it is claimed once', async () => {
    const { tx, broker, submit, claim, lock, untilOneWaits } = open();
    await submit(...['holder', 'parked'].map((id) => ({ id, concurrency: ONE_AT_A_TIME })));
    const settle = completed(await claim('r'));
    await lock('run', 'parked');
    const reschedule = () => rescheduleRuns(broker, [{ id: 'parked', delayMs: 1 }]);
    const rescheduling = await untilOneWaits(reschedule);
    const settling = broker.exchange({ settle });

    expect(await rescheduling.answer).toEqual(['locked']);
    expect((await settling).settled).toEqual(['ok']);
    await tx.query('commit');
    expect(await reschedule()).toEqual(['rescheduled']);
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
    await broker.exchange({ settle });
    await discardRuns(broker, ['b']);
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
    await broker.exchange({ settle: completed(await claim('r')) });
    const forgetting = createPostgresBroker({ client: tx, schema: schema.name, listen: false });
    expect(await discardRuns(forgetting, ['a'])).toEqual(['discarded']);

    const submitting = broker.submit([keyed, { ...keyed, id: 'b' }]);
    await untilBlocked();
    await tx.query('commit');

    expect(await submitting).toEqual(['exists', 'created']);
  });

  it('refuse to discard or redrive a waiting run, also while a transaction is moving it', async () => {
    const { tx, broker, submit, claim } = open();
    await submit(...['holder', 'parked'].map((id) => ({ id, concurrency: ONE_AT_A_TIME })));
    await broker.within(tx).exchange({ settle: completed(await claim('r')) });

    expect(await discardRuns(broker, ['parked'])).toEqual(['refused']);
    expect(await redriveRuns(broker, ['parked'])).toEqual(['refused']);
  });

  it('cancel a parked run while its key is freed, without an error in either call', async () => {
    const { pool, schema, tx, submit, claim, lock, untilOneWaits } = open();
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
    const cancel = () => cancelRuns(watched, ['parked', 'second']);
    const cancelling = await untilOneWaits(cancel);
    const settling = watched.exchange({ settle });

    expect(await cancelling.answer).toEqual(['locked', 'locked']);
    expect((await settling).settled).toEqual(['ok']);
    await tx.query('commit');
    expect(await cancel()).toEqual(['cancelled', 'cancelled']);
    expect(new Set(refused.map((error) => Object(error).code))).toEqual(new Set([LOCK_NOT_AVAILABLE]));
    await watched.close();
  });

  it('cancel a run without a key at any isolation level', async () => {
    const { schema, tx, submit } = open();
    await submit({ id: 'a' });
    await tx.query('set transaction isolation level serializable');
    const strict = createPostgresBroker({ client: tx, schema: schema.name, listen: false });

    expect(await cancelRuns(strict, ['a'])).toEqual(['cancelled']);
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

      const settling = broker.within(tx).exchange({ settle });

      await expect(settling).rejects.toThrow('needs the isolation level read committed');
      await tx.query('rollback');
      expect((await broker.exchange({ settle })).settled).toEqual(['ok']);
      expect(idsOf(await claim('next'))).toEqual(['parked']);
    },
  );
});
