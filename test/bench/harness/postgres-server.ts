import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { startPrivatePostgres } from '../../support/servers/postgres.ts';
import type { BenchServer } from './server.ts';

const SCHEMAS = `select nspname from pg_namespace
  where nspname !~ '^pg_' and nspname not in ('information_schema', 'public')`;

const STORED = `select sum(pg_total_relation_size(c.oid)) as bytes
  from pg_class c join (${SCHEMAS}) s on c.relnamespace = s.nspname::regnamespace where c.relkind in ('r', 'm')`;

/** A private Postgres with the settings it comes with: every commit reaches the disk. */
export async function openPostgresServer(): Promise<BenchServer> {
  const server = await startPrivatePostgres();
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  const { rows } = await admin.query<{ server_version: string }>('show server_version');
  return {
    url: server.url,
    version: `Postgres ${rows[0]?.server_version}`,
    clear: async () => {
      const schemas = await admin.query<{ nspname: string }>(SCHEMAS);
      for (const { nspname } of schemas.rows) await admin.query(`drop schema "${nspname}" cascade`);
      // The pages that a sample writes are new, so that none is logged as a whole because of this checkpoint.
      await admin.query('checkpoint');
    },
    read: async () => {
      const wal = await admin.query<{ bytes: string }>(
        `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`,
      );
      return { cpuMs: cpuOf(server.pid()), walBytes: Number(wal.rows[0]?.bytes) };
    },
    storedBytes: async () => {
      const { rows: sums } = await admin.query<{ bytes: string }>(STORED);
      return Number(sums[0]?.bytes);
    },
    stop: async () => {
      await admin.end();
      await server.stop();
    },
  };
}

/** Processor time of the server and its children, where there is a /proc. Ticks are hundredths of a second. */
function cpuOf(pid: number): number {
  const all = listProcesses().filter((one) => one.pid === pid || one.parent === pid);
  return all.reduce((sum, { ticks }) => sum + ticks * 10, 0);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

function listProcesses(): readonly Process[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(readProcess);
  } catch {
    return [];
  }
}

/** Nothing of a process that has ended meanwhile: its parent has its time. */
function readProcess(pid: string): Process[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return [{ pid: Number(pid), parent: Number(fields[1]), ticks }];
  } catch {
    return [];
  }
}
