import { migrate } from '@retry/postgres';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeMigration } from '../../packages/postgres/src/schema/migrations/write-migration.ts';
import { BUILD } from '../../packages/postgres/src/schema/migrations.ts';
import { passTime } from '../support/pass-time.ts';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import type { PrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { openPool } from './open-broker.ts';

/** How long the migration waits for a lock before the server checks for a deadlock: time for the other transaction to complete it. */
const DEADLOCK_TIMEOUT_MS = 4_000;

describeOnPrivatePostgres('a migration that deadlocks with a running transaction', () => {
  let server: PrivatePostgres;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPrivatePostgres(['fsync=off']);
    pool = openPool(server.url, 3);
    await migrate(pool);
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
  });

  it('is tried again, and the transaction commits', async () => {
    const steps = [
      ...BUILD.steps,
      'alter table claim add column a text; alter table ready add column a text;',
    ];
    const [migrating, running] = await Promise.all([pool.connect(), pool.connect()]);
    await migrating.query(`set deadlock_timeout = ${DEADLOCK_TIMEOUT_MS}`);
    await running.query('set deadlock_timeout = 60000');
    await running.query('begin');
    await running.query('lock table retry.ready in row exclusive mode');

    const migrated = migrating.query(writeMigration('retry', { ...BUILD, steps }));
    while (
      (await pool.query("select from pg_locks where not granted and mode = 'AccessExclusiveLock'"))
        .rowCount === 0
    )
      await passTime(10);
    await running.query('lock table retry.claim in row exclusive mode');
    await running.query('commit');
    await migrated;

    const { rows } = await pool.query('select version from retry.schema_version');
    const { fields } = await pool.query('select c.a, r.a from retry.claim c, retry.ready r');
    migrating.release(true);
    running.release(true);
    expect(rows).toEqual([{ version: steps.length }]);
    expect(fields).toHaveLength(2);
  });
});
