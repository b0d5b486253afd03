import pg from 'pg';

const TABLES = `
create table bench_run (id text primary key, payload text not null);
create table bench_ready (ord bigint primary key, id text not null);
create table bench_inflight (id text primary key, ord bigint not null, lease_until bigint not null);
create table bench_outcome (id text primary key, ended_at bigint not null);
`;

const TAKE = `taken as (
  delete from bench_ready where ctid = any (array (
    select ctid from bench_ready where ord > $2::bigint order by ord limit $3::integer for update skip locked))
  returning id, ord
), leased as (
  insert into bench_inflight select id, ord, $4::bigint from taken
)`;

/** The work of a bare statement. Both are without fencing, retention, delays and further lanes. */
const EXCHANGES = {
  /** The minimum to claim an id, lease it and settle it. */
  ids: `
with done as (
  delete from bench_inflight where id = any ($1::text[])
), ${TAKE}
select id, ord from taken
`,
  /** The same with a payload, and a row with the outcome of each run. */
  runs: `
with done as (
  delete from bench_inflight where id = any ($1::text[]) returning id
), kept as (
  insert into bench_outcome select id, $4::bigint from done
), ${TAKE}
select id, ord, (select payload from bench_run r where r.id = taken.id) from taken
`,
} as const;

/** Returns the milliseconds of the bare statement, with two batches in flight. */
export async function ceiling(
  url: string,
  { of, count, batch }: { of: keyof typeof EXCHANGES; count: number; batch: number },
): Promise<number> {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  await pool.query(TABLES);
  const runs = `select n, '00000000-0000-4000-8000-' || lpad(n::text, 12, '0') as id from generate_series(1, ${count}) n`;
  await pool.query(`insert into bench_ready ${runs}`);
  await pool.query(`insert into bench_run select id, n::text from (${runs}) runs`);
  const startedAt = performance.now();
  const exchange = async (): Promise<void> => {
    let ids: string[] = [];
    let low = 0;
    do {
      const values = [ids, low, batch, Date.now() + 30_000];
      const { rows } = await pool.query<{ id: string; ord: string }>({
        name: of,
        text: EXCHANGES[of],
        values,
      });
      ids = rows.map(({ id }) => id);
      low = Math.max(low, ...rows.map(({ ord }) => Number(ord)));
    } while (ids.length > 0);
  };
  await Promise.all([exchange(), exchange()]);
  const ms = performance.now() - startedAt;
  await pool.query('drop table bench_run, bench_ready, bench_inflight, bench_outcome');
  await pool.end();
  return ms;
}
