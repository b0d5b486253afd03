import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { openPGlite } from '../support/pglite.ts';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import type { PrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { openTransactionPooler } from '../support/servers/transaction-pooler.ts';
import { openPool } from './open-broker.ts';

const NAMED = "select name from pg_prepared_statements where name like 'retry\\_%'";

describeOnPrivatePostgres("a client of the user's", () => {
  let server: PrivatePostgres;
  beforeAll(async () => {
    server = await startPrivatePostgres(['fsync=off']);
    const pool = openPool(server.url, 1);
    await migrate(pool);
    await pool.end();
  });
  afterAll(() => server.stop());

  const open = (client: SqlClient, connections?: number) =>
    createPostgresBroker({ client, listen: false, connections });
  const connect = async (url = server.url): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client;
  };
  /** How many statements of a broker the server has prepared on this connection. */
  const prepared = async (client: pg.Pool | pg.Client): Promise<number> =>
    (await client.query(NAMED)).rows.length;

  it('gets named statements if it is a pool of pg', async () => {
    const pool = openPool(server.url, 1);
    const broker = open(pool);

    await broker.get(['a']);
    await broker.get(['b']);

    expect(await prepared(pool)).toBeGreaterThan(1);
    await pool.end();
  });

  it('gets named statements if it is a client of pg on a connection of its own', async () => {
    const client = await connect();

    await open(client).get(['a']);

    expect(await prepared(client)).toBeGreaterThan(1);
    await client.end();
  });

  it('gets named statements although the connection broke by which it was asked whether it understands them', async () => {
    let asked = 0;
    class Client extends pg.Client {
      override query(...request: unknown[]): never {
        asked += 1;
        const connection: unknown = Reflect.get(this, 'connection');
        if (asked === 1) (connection as { stream: { destroy: () => void } }).stream.destroy();
        return Reflect.apply(super.query, this, request) as never; // whatever pg returns
      }
    }
    const pool = new pg.Pool({ connectionString: server.url, max: 1, Client } as pg.PoolConfig); // the types do not have it
    const broker = open(pool);

    expect(await broker.get(['a'])).toEqual([undefined]);
    expect(await prepared(pool)).toBeGreaterThan(0);
    await pool.end();
  });

  it('gets other statements if it looks like a pool of pg, but understands no name', async () => {
    const pool = openPool(server.url, 1);
    const wrapper = {
      ...{ totalCount: 1, idleCount: 1, waitingCount: 0, connect: () => pool.connect() },
      query: (text: string, values?: unknown[]) => pool.query(text.trim(), values),
    };

    expect(await open(wrapper).get(['a'])).toEqual([undefined]);
    expect(await prepared(pool)).toBe(0);
    await pool.end();
  });

  it('is PGlite, which is asked nothing first', async () => {
    const pglite = await openPGlite();
    await migrate(pglite);
    const sent: unknown[] = [];
    const client: SqlClient = {
      query: (text, values) => {
        sent.push(text);
        return pglite.query(text, values);
      },
    };

    expect(await open(client).get(['a'])).toEqual([undefined]);
    expect(sent.filter((text) => String(text).includes('isolation'))).toEqual([]);
    await pglite.close();
  });

  it('has few connections of a large pool busy', async () => {
    const pool = openPool(server.url, 20);
    const broker = open(pool, 3);

    await Promise.all(Array.from({ length: 100 }, (_, index) => broker.get([`${index}`])));

    expect(pool.totalCount).toBeLessThanOrEqual(3);
    await pool.end();
  });

  it('is not needed for few connections to be busy: a broker with a url has no more either', async () => {
    const url = new URL(server.url);
    url.searchParams.set('application_name', 'few');
    const broker = createPostgresBroker({ url: url.href, connections: 3, listen: false });

    await Promise.all(Array.from({ length: 100 }, (_, index) => broker.get([`${index}`])));
    const client = await connect();
    const { rowCount } = await client.query("select from pg_stat_activity where application_name = 'few'");
    await client.end();
    await broker.close();

    expect(rowCount).toBeLessThanOrEqual(3);
  });

  it('is asked again when the first question was not answered', async () => {
    const pool = openPool(server.url, 1);
    let isDown = true;
    const client = new Proxy(pool, {
      get: (target, key) => {
        if (key === 'query' && isDown) return () => Promise.reject(new Error('down for now'));
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const broker = open(client);

    await expect(broker.get(['a'])).rejects.toThrow('down for now');
    isDown = false;

    expect(await broker.get(['a'])).toEqual([undefined]);
    expect(await prepared(pool)).toBeGreaterThan(0);
    await pool.end();
  });

  it.each(['repeatable read', 'serializable'])('may be a pool of the isolation level %s', async (level) => {
    const pool = new pg.Pool({
      connectionString: server.url,
      max: 2,
      options: `-c default_transaction_isolation=${level.replaceAll(' ', '\\ ')}`,
    });
    const broker = open(pool);
    await broker.submit([{ id: level, lane: level, payload: '{}' }]);

    const { claimed } = await broker.exchange({
      claim: { worker: 'w', requestId: level, limit: 1, lanes: new Map([[level, 1]]), leaseMs: 60_000 },
    });

    expect(claimed.map(({ run }) => run.id)).toEqual([level]);
    expect(pool.idleCount).toBe(pool.totalCount);
    await pool.end();
  });

  describe('behind a pooler in transaction mode', () => {
    it('keeps working if it is a pool', async () => {
      const pooler = await openTransactionPooler(server.url, 3);
      const pool = openPool(pooler.url, 6);
      const broker = open(pool);
      const ids = Array.from({ length: 60 }, (_, index) => `pooled-${index}`);

      const read = await Promise.all(ids.map((id) => broker.get([id])));
      await passTime(1);
      const again = await Promise.all(ids.map((id) => broker.get([id])));

      expect([...read, ...again].flat()).toEqual(Array(120).fill(undefined));
      await pool.end();
      await pooler.close();
    });

    it('does not end the transaction that the user has open on a single client', async () => {
      const pooler = await openTransactionPooler(server.url, 2);
      const client = await connect(pooler.url);
      const broker = open(client);
      await broker.submit([{ id: 'before', lane: 'l', payload: '{}' }]);
      const other = await connect(pooler.url);
      // The connection that has served the broker so far is lent to another client, so the transaction gets the second one.
      await other.query('begin');
      await client.query('begin');

      await broker.submit([{ id: 'in-transaction', lane: 'l', payload: '{}' }]);
      await client.query('commit');
      await other.query('commit');

      expect(await broker.get(['in-transaction'])).toMatchObject([{ id: 'in-transaction' }]);
      await client.end();
      await other.end();
      await pooler.close();
    });
  });
});
