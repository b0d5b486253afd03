import { randomUUID } from 'node:crypto';
import { createPostgresBroker, migrate } from '@retry/postgres';
import type pg from 'pg';
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

    it('rejects when the broker is closed', async () => {
      const broker = createPostgresBroker({ client: pool, listen: false });
      await broker.close();

      await expect(broker.ready()).rejects.toMatchObject({ code: 'BROKER_CLOSED' });
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
