import { randomUUID } from 'node:crypto';
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { openPool } from './open-broker.ts';

describeOnPostgres('a Postgres broker at its start', (server) => {
  let pool: pg.Pool;
  beforeAll(() => {
    pool = openPool(server().url, 2);
  });
  afterAll(() => pool.end());

  describe('ready', () => {
    it('rejects until the schema is there, and says how to create it', async () => {
      const schema = `ready_${randomUUID().slice(0, 8)}`;
      const broker = createPostgresBroker({ client: pool, schema, listen: false });

      const before: unknown = await broker.ready().catch((error: unknown) => error);
      await migrate(pool, { schema });
      const after = await broker.ready();
      await broker.close();
      await pool.query(`drop schema ${schema} cascade`);

      expect(before).toMatchObject({ name: 'PostgresBrokerError', code: 'OLDER_SCHEMA' });
      expect(String(before)).toContain(
        `Call migrate(client, { schema: "${schema}" }) first, or run retry migrate --schema ${schema}.`,
      );
      expect(after).toBeUndefined();
    });

    it.each([
      ["it's mine", String.raw`--schema 'it'\''s mine'`],
      ['-x', '--schema=-x'],
      ['$(id)'.replace('$', '%'), "--schema '%(id)'"],
    ])('says a command that a shell reads as it is meant, for the schema %s', async (schema, option) => {
      const broker = createPostgresBroker({ client: pool, schema, listen: false });

      const error: unknown = await broker.ready().catch((failure: unknown) => failure);
      await broker.close();

      expect(String(error)).toContain(`or run retry migrate ${option}.`);
    });

    it('rejects in the same way where another program has a table of that name', async () => {
      const schema = `ready_${randomUUID().slice(0, 8)}`;
      await pool.query(
        `create schema ${schema}; create table ${schema}.schema_version (installed_rank integer)`,
      );
      const broker = createPostgresBroker({ client: pool, schema, listen: false });

      const error: unknown = await broker.ready().catch((failure: unknown) => failure);
      await broker.close();
      await pool.query(`drop schema ${schema} cascade`);

      expect(error).toMatchObject({ code: 'OLDER_SCHEMA' });
      expect(String(error)).toContain(`the schema ${schema} has no queue`);
    });

    it('rejects when the broker is closed', async () => {
      const broker = createPostgresBroker({ client: pool, listen: false });
      await broker.close();

      await expect(broker.ready()).rejects.toMatchObject({ code: 'BROKER_CLOSED' });
    });
  });

  describe('the server', () => {
    let schema: string;
    beforeAll(async () => {
      schema = `server_${randomUUID().slice(0, 8)}`;
      await migrate(pool, { schema });
    });
    afterAll(() => pool.query(`drop schema ${schema} cascade`));

    it('has to take writes for ready(), while reads work on any', async () => {
      const url = new URL(server().url);
      url.searchParams.set('options', '-c default_transaction_read_only=on');
      const broker = createPostgresBroker({ url: url.href, schema, listen: false });

      const refusals = await Promise.all(
        [broker.ready(), broker.submit([{ id: 'a', lane: 'mail@1', payload: '{}' }])].map((call) =>
          call.catch((error: unknown) => error),
        ),
      );
      const runs = await broker.get(['a']);
      await broker.close();

      const refusal = { name: 'PostgresBrokerError', code: 'READ_ONLY_SERVER' };
      expect(refusals).toMatchObject([refusal, refusal]);
      expect(runs).toEqual([undefined]);
    });

    it('has to hold every text', async () => {
      const name = `narrow_${randomUUID().slice(0, 8)}`;
      await pool.query(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
      const url = new URL(server().url);
      url.pathname = `/${name}`;
      const broker = createPostgresBroker({ url: url.href, listen: false });

      const refusals = await Promise.all(
        [broker.ready(), broker.get(['a'])].map((call) => call.catch((error: unknown) => error)),
      );
      await broker.close();
      await pool.query(`drop database ${name} with (force)`);

      const refusal = { code: 'NARROW_ENCODING', message: expect.stringContaining('encoding LATIN1') };
      expect(refusals).toMatchObject([refusal, refusal]);
    });

    it('may be used by a client that has a parser of its own for booleans', async () => {
      const parserOf = (type: number, format: 'text') =>
        type === 16 ? String : pg.types.getTypeParser(type, format);
      const types = { getTypeParser: parserOf } as typeof pg.types; // what the driver calls
      const own = new pg.Pool({ connectionString: server().url, max: 1, types });
      const broker = createPostgresBroker({ client: own, schema, listen: false });

      await expect(broker.ready()).resolves.toBeUndefined();
      await own.end();
    });

    it('is not used by a client that makes something else of text', async () => {
      const own = openPool(server().url, 1);
      const query = async (text: string, values?: unknown[]) => {
        const { rows } = await own.query(text, values);
        return { rows: rows.map((row) => Object.fromEntries(Object.entries(row).map(wrapText))) };
      };
      const broker = createPostgresBroker({ client: { query }, schema, listen: false });

      const refusal: unknown = await broker
        .submit([{ id: 'a', lane: 'mail@1', payload: '{}' }])
        .catch((error: unknown) => error);
      await own.end();

      expect(refusal).toMatchObject({
        code: 'CHANGED_REPLY',
        message: expect.stringContaining('type object'),
      });
    });
  });

  describe('onError', () => {
    it('gets the error of a connection that ends while no call uses it, and the next call has another', async () => {
      const name = `idle_${randomUUID().slice(0, 8)}`;
      await migrate(pool, { schema: name });
      const onError = vi.fn();
      const url = new URL(server().url);
      url.searchParams.set('application_name', name);
      const broker = createPostgresBroker({ url: url.href, schema: name, listen: false, onError });
      await broker.audit();

      await pool.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [
        name,
      ]);
      await vi.waitFor(() => expect(onError).toHaveBeenCalled(), 20_000);
      const audit = await broker.audit();
      await broker.close();
      await pool.query(`drop schema ${name} cascade`);

      expect(onError.mock.calls.map(([error]) => error)).toEqual([expect.any(Error)]);
      expect(audit.unbalanced).toBe(0);
    });
  });
});

const wrapText = ([name, value]: [string, unknown]): [string, unknown] => [
  name,
  typeof value === 'string' ? { text: value } : value,
];
