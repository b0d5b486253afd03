import type { Broker } from '@retry/core/broker';
import { createPostgresBroker } from '@retry/postgres';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { describe, expect, it, vi } from 'vitest';
import { openPool } from './open-broker.ts';
import { completed, describeTwoConnections, idsOf } from './two-connections.ts';

const errorOf = (code: string): Error => Object.assign(new Error('said the server'), { code });

describe('isRefusal of the Postgres broker', () => {
  const broker: Broker = createPostgresBroker({ client: { query: async () => ({ rows: [] }) } });

  it.each([
    ...['22003', '22P05', '23505', '23514', '21000', '0A000', '42804', '44000', '54000'],
    ...['P0001', 'P0004', '09000', '38001', 'XX000', 'XX001', 'ZZ999'],
  ])('is true for errors about what was sent: %s', (code) => {
    expect(broker.isRefusal(errorOf(code))).toBe(true);
  });

  it.each([
    ...['08006', '25006', '25P03', '28P01', '3D000', '3F000', '40001', '40P01', '53300', '53200', '55P03'],
    ...['57014', '57P01', '58030', '26000', '42P05', '42501', '42P01', '42883', '42703', '42704', 'RT002'],
    ...['EPIPE', 'EBUSY', 'ENOENT', 'ECONNRESET'],
  ])('is false for errors that may pass or be mended: %s', (code) => {
    expect(broker.isRefusal(errorOf(code))).toBe(false);
  });

  it.each([
    ['P1001', "Can't reach database server at localhost:5432", false],
    ['P2024', 'Timed out fetching a new connection from the connection pool', false],
    ['P2034', 'Transaction failed due to a write conflict or a deadlock', false],
    ['P2010', 'Raw query failed. Code: `40P01`. Message: `deadlock detected`', false],
    ['P2010', 'Raw query failed. Code: `N/A`. Message: `ConnectionClosed`', false],
    ['P2010', 'Raw query failed. Code: `22P05`. Message: `unsupported Unicode escape sequence`', true],
  ])('reads no SQLSTATE in a code of Prisma, but in its text: %s, %s', (code, message, expected) => {
    expect(broker.isRefusal(Object.assign(new Error(message), { code }))).toBe(expected);
  });
});

describeTwoConnections('what a trigger of the database refuses', (open) => {
  /** Adds a trigger that raises an error for the rows that meet a condition. */
  const addRule = async (
    on: string,
    { when, raise }: { readonly when: string; readonly raise: string },
  ): Promise<void> => {
    const { pool, schema } = open();
    await pool.query(`create function ${schema.name}.rule() returns trigger language plpgsql as
      $$ begin if ${when} then ${raise}; end if; return new; end $$`);
    await pool.query(`create trigger rule before ${on} on ${schema.name}.run for each row
      execute function ${schema.name}.rule()`);
  };

  it.each([
    `raise exception 'no such result'`,
    'raise feature_not_supported',
    'raise internal_error',
    `raise exception 'no such result' using errcode = 'ZZ999'`,
    `assert false, 'no such result'`,
  ])('is one dead letter, and the other runs complete: %s', async (raise) => {
    const { broker } = open();
    const task = defineTask({ name: 'work', run: (result: string) => result });
    const queue = createQueue({ broker });
    const worker = createWorker({ broker, tasks: [task], signals: [], concurrency: 20 });
    worker.on('error', () => {});
    await addRule('update', { when: `new.result = '"guilty"'`, raise });
    await queue.submitMany(task, ['a', 'b', 'guilty', 'c', 'd']);

    worker.start();

    await vi.waitFor(
      async () => expect((await queue.counts()).ended).toMatchObject({ completed: 4, failed: 1 }),
      20_000,
    );
    await worker.stop();
  });

  it.each(['raise unique_violation', `raise exception 'not this one'`])(
    'rejects only the submission that it is about: %s',
    async (raise) => {
      const { broker } = open();
      const task = defineTask({ name: 'work', run: (payload: string) => payload });
      const queue = createQueue({ broker });
      await addRule('insert', { when: `new.payload = '"guilty"'`, raise });

      const submitted = await Promise.allSettled(
        ['a', 'guilty', 'b'].map((payload) => queue.submit(task, payload)),
      );

      expect(submitted.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    },
  );

  it('is sent in smaller parts where the statement timeout is too short for all of it', async () => {
    const { pool, schema, submit, url } = open();
    const ids = Array.from({ length: 32 }, (_, index) => `run ${index + 10}`);
    await submit(...ids.map((id) => ({ id })));
    await addRule('update', { when: 'true', raise: 'perform pg_sleep(0.05)' });
    const hurried = openPool(`${url}?options=-c%20statement_timeout%3D1000`, 1);
    const broker = createPostgresBroker({ client: hurried, schema: schema.name, listen: false });
    const { claim } = open();
    const claimed = await claim('r', 32);

    const { settled } = await broker.exchange({ settle: completed(claimed) });

    expect(settled).toEqual(ids.map(() => 'ok'));
    expect(idsOf(claimed)).toEqual(ids);
    await broker.close();
    await hurried.end();
    await pool.query(`drop trigger rule on ${schema.name}.run`);
  });
});
