import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { createPostgresBroker, migrate } from '@retry/postgres';
import pg from 'pg';
import type { OpenBroker, Start } from './open-broker.ts';

/** What of a database is the demo's own. */
export interface DemoDatabase {
  readonly schema: string;
  readonly start: Start;
}

/** Opens a broker in a schema of a server. */
export async function openServer(url: string, { schema, start }: DemoDatabase): Promise<OpenBroker> {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  if (start === 'afresh') await pool.query(`drop schema if exists ${schema} cascade`);
  await migrate(pool, { schema });
  const broker = createPostgresBroker({ client: pool, schema });
  const close = async (): Promise<void> => {
    await broker.close();
    await pool.end();
  };
  return { broker, where: `in Postgres, in the schema ${schema} of DATABASE_URL`, close };
}

/** Where a folder of PGlite is: in that of temporary files. */
export function pgliteFolder(name: string): string {
  return join(tmpdir(), name);
}

/** Opens a broker on PGlite in a folder, which outlives the process. */
export async function openPGlite(name: string, { schema, start }: DemoDatabase): Promise<OpenBroker> {
  const folder = pgliteFolder(name);
  if (start === 'afresh') rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const client = await PGlite.create(folder);
  await migrate(client, { schema });
  const broker = createPostgresBroker({ client, schema });
  const close = async (): Promise<void> => {
    await broker.close();
    await client.close();
  };
  return { broker, where: `in PGlite, in ${folder}`, close };
}
