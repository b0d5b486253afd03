import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Bench, Contender, Payload, Place, Work } from './contender.ts';

/**
 * What the server takes for the promises of a queue, by one statement an exchange and no library: the least that anything on
 * Postgres can do. A settlement holds only for the run's epoch, a claim is stored under its request so that it could be answered
 * again, every commit is durable, ended runs and the errors of failed attempts are kept, an id is used once. There are no lanes,
 * leases, delays, keys, retention or resends.
 */
export function barePostgres(): Contender {
  return { open: openBare };
}

const tables = (schema: string): string => `
create schema if not exists ${schema};
create table if not exists ${schema}.run (
  id text primary key, payload text not null, state "char" not null default 'w', epoch bigint not null default 0,
  ended_at bigint, record text
) with (fillfactor = 40);
create table if not exists ${schema}.ready (ord bigint primary key, id text not null, row_at tid not null);
create table if not exists ${schema}.claim (request text primary key, until bigint not null, ids text[] not null, ords bigint[] not null);
create sequence if not exists ${schema}.back_order;
`;

const submitIn = (schema: string): string => `
with fresh as (
  insert into ${schema}.run (id, payload) select * from unnest($1::text[], $2::text[])
  returning id, ctid as row_at
), now_ready as (
  insert into ${schema}.ready select nextval('${schema}.back_order'), id, row_at from fresh
)
select pg_notify('${schema}', '') where $3
`;

const exchangeIn = (schema: string): string => `
with settled as (
  update ${schema}.run r set state = s.state::"char", epoch = s.epoch, ended_at = $5, record = s.record
  from (select unnest($1::tid[]) as row_at, unnest($2::bigint[]) as epoch, unnest($3::text[]) as state,
    unnest($4::text[]) as record) s
  where r.ctid = s.row_at and r.epoch = s.epoch - 1
  returning r.id, r.ctid as row_at, r.state
), ready_again as (
  insert into ${schema}.ready select nextval('${schema}.back_order'), id, row_at from settled where state = 'w'
), next as materialized (
  select ctid as ready_at, ord, id, row_at from ${schema}.ready
  where ord > $6 order by ord limit $7 for update skip locked
), gone as (
  delete from ${schema}.ready where ctid = any (array (select ready_at from next))
), stored as (
  insert into ${schema}.claim select $8, $5 + 30000, array_agg(id), array_agg(ord) from next having count(*) > 0
), ended as (
  delete from ${schema}.claim where request = $9
)
select (select count(*) from settled) as settled, n.ord, r.ctid as row_at, r.epoch + 1 as epoch, r.payload, r.record
from (select) one left join next n on true left join ${schema}.run r on r.ctid = n.row_at and r.id = n.id
`;

/** A row of the reply to an exchange; one with nothing but the count where nothing was claimed. */
interface Row {
  readonly settled: string;
  readonly ord: string | null;
  readonly row_at: string;
  readonly epoch: string;
  readonly payload: string;
  readonly record: string | null;
}

interface Settled {
  readonly row: Row;
  readonly error: unknown;
}

/** How many runs an exchange claims, at most, in bytes and by number, and how many exchanges are under way. */
const BATCH_BYTES = 2 ** 20;
const BATCH = 500;
const LOOPS = 2;

async function openBare({ url, name: schema }: Place): Promise<Bench> {
  const pool = new pg.Pool({ connectionString: url });
  pool.on('error', () => {});
  await pool.query(tables(schema));
  const submit = (payloads: readonly Payload[], notify: boolean): Promise<unknown> => {
    const values = [payloads.map(() => randomUUID()), payloads.map((one) => JSON.stringify(one)), notify];
    return pool.query({ name: 'submit', text: submitIn(schema), values });
  };
  return {
    submit: (payload) => submit([payload], true),
    submitBulk: (payloads) => submit(payloads, false),
    work: (work) => startLoops(pool, schema, work),
    count: async () => {
      const counts = `select count(*) filter (where state = 'w') as left, count(*) filter (where state = 'C') as completed from ${schema}.run`;
      const { rows } = await pool.query<{ left: string; completed: string }>(counts);
      return { left: Number(rows[0]?.left), completed: Number(rows[0]?.completed) };
    },
    close: () => pool.end(),
  };
}

async function startLoops(pool: pg.Pool, schema: string, work: Work): Promise<() => Promise<unknown>> {
  const idle = new Idle();
  const listener = await pool.connect();
  listener.on('notification', () => idle.end());
  await listener.query(`listen ${schema}`);
  const count = Math.min(LOOPS, work.concurrency);
  const loops = Array.from({ length: count }, () => loop({ pool, schema, idle }, work));
  return async () => {
    idle.stop();
    await Promise.all(loops);
    listener.release(true);
  };
}

/** Ends the waits of idle loops. */
class Idle {
  isStopping = false;
  #waits: (() => void)[] = [];

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waits.push(resolve));
  }

  end(): void {
    for (const wait of this.#waits.splice(0)) wait();
  }

  stop(): void {
    this.isStopping = true;
    this.end();
  }
}

/** Settles what has ended and claims the next in one statement, again and again. */
async function loop(
  { pool, schema, idle }: { readonly pool: pg.Pool; readonly schema: string; readonly idle: Idle },
  work: Work,
): Promise<void> {
  const statement = { name: 'exchange', text: exchangeIn(schema) };
  let settled: readonly Settled[] = [];
  let [low, limit, earlier] = [0, Math.min(work.concurrency === 1 ? 1 : BATCH), ''];
  while (!idle.isStopping || settled.length > 0) {
    const request = randomUUID();
    const values = [
      ...settlementValues(settled),
      Date.now(),
      low,
      idle.isStopping ? 0 : limit,
      request,
      earlier,
    ];
    const { rows } = await pool.query<Row>({ ...statement, values });
    if (Number(rows[0]?.settled) !== settled.length) throw new Error('A settlement was refused.');
    for (const { error } of settled) if (error === undefined) work.onDone();
    earlier = request;
    const claimed = rows.filter(({ ord }) => ord !== null);
    // What others submit meanwhile may be committed in another order.
    low = Math.max(low, ...claimed.map(({ ord }) => Number(ord) - 1_000));
    if (limit > 1) limit = fitting(claimed, limit);
    settled = await handleAll(claimed, work);
    if (settled.length === 0 && !idle.isStopping) await idle.wait();
  }
}

function settlementValues(settled: readonly Settled[]): unknown[] {
  return [
    settled.map(({ row }) => row.row_at),
    settled.map(({ row }) => row.epoch),
    settled.map(({ error }) => (error === undefined ? 'C' : 'w')),
    settled.map(({ row, error }) => (error === undefined ? row.record : writeRecord(row, error))),
  ];
}

/** The errors of all attempts until now, as every queue keeps them. */
function writeRecord({ record, epoch }: Row, error: unknown): string {
  const { errors } =
    record === null ? { errors: [] } : (JSON.parse(record) as { errors: readonly unknown[] }); // as it was written here
  const { name, message } = error as Error; // the harness throws nothing else
  return JSON.stringify({ at: Date.now(), errors: [...errors, { epoch: Number(epoch), name, message }] });
}

function fitting(claimed: readonly Row[], limit: number): number {
  const bytes = claimed.reduce((sum, { payload }) => sum + payload.length, 0);
  if (bytes === 0) return limit;
  return Math.max(1, Math.min(BATCH, Math.floor((BATCH_BYTES * claimed.length) / bytes)));
}

/** Handles `concurrency` at a time, as any worker does. */
async function handleAll(
  claimed: readonly Row[],
  { concurrency, handle }: Work,
): Promise<readonly Settled[]> {
  const settled: Settled[] = [];
  const waiting = claimed.values();
  const handleNext = async (): Promise<void> => {
    for (const row of waiting) {
      const error = await handle(JSON.parse(row.payload) as Payload).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      settled.push({ row, error });
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, claimed.length) }, handleNext));
  return settled;
}
