import { migrate } from '@retry/postgres';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeMigration } from '../../packages/postgres/src/schema/migrations/write-migration.ts';
import { BUILD, MIGRATIONS } from '../../packages/postgres/src/schema/migrations.ts';
import { describeOnPrivatePostgres } from '../support/servers/describe-on-postgres.ts';
import type { PrivatePostgres } from '../support/servers/postgres.ts';
import { startPrivatePostgres } from '../support/servers/postgres.ts';
import { openPool } from './open-broker.ts';

describeOnPrivatePostgres('migrate by a role that does not own the schema', () => {
  let server: PrivatePostgres;
  let owner: pg.Pool;
  let app: pg.Pool;
  beforeAll(async () => {
    server = await startPrivatePostgres(['fsync=off']);
    owner = openPool(server.url, 1);
    await owner.query('create role app login');
    await migrate(owner);
    await owner.query(
      'grant usage on schema retry to app; grant select on all tables in schema retry to app',
    );
    app = openPool(server.url.replace('postgres@', 'app@'), 1);
  });
  afterAll(async () => {
    await app.end();
    await owner.end();
    await server.stop();
  });

  it('returns the version of a schema that needs no migration', async () => {
    expect(await migrate(app)).toBe(MIGRATIONS.length);
  });

  it('rejects with what is missing where the schema needs one', async () => {
    const later = { ...BUILD, steps: [...BUILD.steps, 'alter table run add column note text'] };

    await expect(app.query(writeMigration('retry', later))).rejects.toThrow(
      'the queue belongs to the role postgres, for which app may not act',
    );
  });
});
