import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import type { OpenBroker, Start } from './open-broker.ts';

/** The demo's own schema. */
const SCHEMA = 'retry_demo';

/** Opens a broker on the server of DATABASE_URL, else on PGlite in a folder, which outlives the process. */
export function openOnPostgres(start: Start): Promise<OpenBroker> {
  return process.env['DATABASE_URL'] ? openServer(start) : openPGlite(start);
}

async function openServer(start: Start): Promise<OpenBroker> {
  const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 4 });
  if (start === 'afresh') await pool.query(`drop schema if exists ${SCHEMA} cascade`);
  await migrate(pool, { schema: SCHEMA });
  const broker = createPostgresBroker({ client: pool, schema: SCHEMA });
  const close = async (): Promise<void> => {
    await broker.close();
    await pool.end();
  };
  return { broker, where: `in Postgres, in the schema ${SCHEMA} of DATABASE_URL`, close };
}

async function openPGlite(start: Start): Promise<OpenBroker> {
  const folder = join(tmpdir(), 'retry-demo-postgres');
  if (start === 'afresh') rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const client = await PGlite.create(folder);
  await migrate(client, { schema: SCHEMA });
  const broker = createPostgresBroker({ client, schema: SCHEMA });
  const close = async (): Promise<void> => {
    await broker.close();
    await client.close();
  };
  return { broker, where: `in PGlite, in ${folder}`, close };
}
