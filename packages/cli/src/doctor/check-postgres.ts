import { formatDuration } from '@retry/core';
import type { SqlClient } from '@retry/postgres';
import { openDatabase } from '../connect/open-broker.ts';
import type { Target } from '../connect/target.ts';
import { wholeText } from '../terminal/counts.ts';
import type { DoctorLimits, Fault } from './fault.ts';

/** Finds what is wrong with a Postgres database, outside the tables of the queue. */
export async function checkPostgres(
  target: Target,
  cwd: string,
  limits: DoctorLimits,
): Promise<readonly Fault[]> {
  const { client, close } = await openDatabase(target, cwd);
  try {
    return [
      ...(await checkTransactions(client, limits)),
      ...(await checkTuples(client, target.schema ?? 'retry')),
      ...(await checkNotifications(client)),
    ];
  } finally {
    await close();
  }
}

/** A snapshot that is old keeps every version of a row that has changed since: each claim reads past them. */
async function checkTransactions(
  client: SqlClient,
  { longTransaction }: DoctorLimits,
): Promise<readonly Fault[]> {
  const { rows } = await client.query(
    `select pid, coalesce(usename::text, '') as role, state,
       (extract(epoch from clock_timestamp() - xact_start) * 1000)::float8 as ms
     from pg_stat_activity
     where pid <> pg_backend_pid() and backend_type = 'client backend' and datname = current_database()
       and (backend_xmin is not null or backend_xid is not null)
       and clock_timestamp() - xact_start > make_interval(secs => $1)
     order by xact_start limit 3`,
    [longTransaction / 1_000],
  );
  const open = rows as readonly {
    readonly pid: number;
    readonly role: string;
    readonly state: string;
    readonly ms: number;
  }[]; // the columns just selected
  return open.map(({ pid, role, state, ms }) => ({
    code: 'LONG_TRANSACTION',
    level: 'warning',
    figure: ms,
    threshold: longTransaction,
    sentence: `A transaction of ${role} (process ${pid}, ${state}) has been open for ${formatDuration(ms)}: rows that change meanwhile cannot be removed, and slow every claim.`,
    cure: `End it: select pg_terminate_backend(${pid}), and set idle_in_transaction_session_timeout.`,
  }));
}

/** Autovacuum removes dead tuples; where it does not keep up, claims read past them. */
const MAX_DEAD_TUPLES = 50_000;

async function checkTuples(client: SqlClient, schema: string): Promise<readonly Fault[]> {
  const { rows } = await client.query(
    `select relname as name, n_dead_tup::float8 as dead, n_live_tup::float8 as live from pg_stat_user_tables
     where schemaname = $1 and n_dead_tup > $2 and n_dead_tup > n_live_tup order by n_dead_tup desc limit 3`,
    [schema, MAX_DEAD_TUPLES],
  );
  const tables = rows as readonly { readonly name: string; readonly dead: number; readonly live: number }[]; // as above
  return tables.map(({ name, dead, live }) => ({
    code: 'DEAD_TUPLES',
    level: 'warning',
    figure: dead,
    threshold: MAX_DEAD_TUPLES,
    sentence: `Table ${schema}.${name} has ${wholeText(dead)} dead tuples and ${wholeText(live)} live ones, which slows claims.`,
    cure: `Run vacuum ${schema}.${name}; look for long transactions, and whether autovacuum is on.`,
  }));
}

const NOTIFICATION_MS = 1_000;

/** Behind a pooler that lends connections by transaction, a session that listens is no longer there when something is notified. */
async function checkNotifications(pool: SqlClient): Promise<readonly Fault[]> {
  if (!('connect' in pool) || typeof pool.connect !== 'function') return [];
  const listener = await pool.connect();
  const channel = `retry_doctor_${process.pid}`;
  try {
    let timer: NodeJS.Timeout | undefined;
    const arrived = new Promise<boolean>((resolve) => {
      listener.on('notification', () => resolve(true));
      timer = setTimeout(() => resolve(false), NOTIFICATION_MS);
    });
    await listener.query(`listen ${channel}`);
    // By another connection: a session that notifies itself gets it even behind a pooler.
    await pool.query('select pg_notify($1, $2)', [channel, '']);
    const isNotified = await arrived.finally(() => clearTimeout(timer));
    await listener.query(`unlisten ${channel}`);
    return isNotified ? [] : [POLLING_ONLY];
  } finally {
    listener.release();
  }
}

const POLLING_ONLY: Fault = {
  code: 'POLLING_ONLY',
  level: 'warning',
  sentence:
    'Notifications do not arrive: idle workers learn of work by their polls only, up to a second late.',
  cure: 'Let workers connect without a pooler, or through one that lends connections by session.',
};
